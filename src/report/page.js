"use strict";
(function () {
	var box = document.getElementById("search");
	var said = document.getElementById("found");
	var rows = Array.from(document.querySelectorAll(".contents li"));
	var entries = rows.map(function (row) {
		var id = row.querySelector("a").getAttribute("href").slice(1);
		return { row: row, section: document.getElementById(id), text: row.textContent.toLowerCase() };
	});
	function show(entry, shown) {
		entry.row.hidden = !shown;
		if (entry.section) entry.section.hidden = !shown;
	}
	function search() {
		var words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
		var n = 0;
		entries.forEach(function (entry) {
			var shown = words.every(function (word) { return entry.text.includes(word); });
			show(entry, shown);
			n += shown;
		});
		said.textContent = words.length ? n + " of " + entries.length : "";
	}
	if (!box || entries.length < 2) return;
	document.getElementById("searching").hidden = false;
	box.addEventListener("input", search);
	document.addEventListener("keydown", function (event) {
		if (event.key === "/" && event.target !== box && !event.ctrlKey && !event.altKey && !event.metaKey) {
			event.preventDefault();
			box.focus();
		} else if (event.key === "Escape" && event.target === box) {
			box.value = "";
			search();
		}
	});
	window.addEventListener("beforeprint", function () {
		entries.forEach(function (entry) { show(entry, true); });
	});
	window.addEventListener("afterprint", search);
	search();
})();
