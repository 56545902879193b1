"use strict";
(function () {
	var box = document.getElementById("search");
	var said = document.getElementById("found");
	var rows = Array.from(document.querySelectorAll(".contents li, .contents tbody tr"));
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

	/* The table: a click on a heading sorts, another one turns it around. Unknown comes last. */
	function key(row, at) {
		var cell = row.cells[at];
		var number = cell.classList.contains("number") || cell.dataset.n !== undefined;
		return number ? (cell.dataset.n === undefined ? NaN : Number(cell.dataset.n)) : cell.textContent;
	}
	function compare(a, b, at, down) {
		var x = key(a, at), y = key(b, at);
		if (typeof x === "string") return (down ? -1 : 1) * x.localeCompare(y);
		if (isNaN(x) || isNaN(y)) return isNaN(x) - isNaN(y);
		return down ? y - x : x - y;
	}
	function sort(head, at) {
		var body = head.closest("table").tBodies[0];
		var down = head.getAttribute("aria-sort") ? head.getAttribute("aria-sort") === "ascending"
			: head.classList.contains("number");
		Array.from(head.parentNode.cells).forEach(function (other) { other.removeAttribute("aria-sort"); });
		head.setAttribute("aria-sort", down ? "descending" : "ascending");
		Array.from(body.rows).sort(function (a, b) { return compare(a, b, at, down); })
			.forEach(function (row) { body.appendChild(row); });
	}
	document.querySelectorAll("table.contents th").forEach(function (head, at) {
		var button = document.createElement("button");
		button.textContent = head.textContent;
		button.addEventListener("click", function () { sort(head, at); });
		head.replaceChildren(button);
	});

	/* Numbers with three digits, times in the unit that fits. */
	function amount(number, unit) {
		var units = [["ns", 1e-3], ["\u00b5s", 1], ["ms", 1e3], ["s", 1e6], ["min", 6e7], ["h", 3.6e9]];
		var best = ["", 1];
		if (unit !== "\u00b5s") return Number(number.toPrecision(3)) + (unit ? " " + unit : "");
		best = units[0];
		units.forEach(function (each) { if (Math.abs(number) >= each[1]) best = each; });
		return Number((number / best[1]).toPrecision(3)) + " " + best[0];
	}

	/* Under the pointer: the call. */
	document.querySelectorAll(".asked").forEach(function (asked) {
		var svg = asked.ownerSVGElement, points = null, names = asked.dataset.names.split("\n");
		var mark = document.createElementNS(svg.namespaceURI, "circle");
		var said = document.createElementNS(svg.namespaceURI, "text");
		mark.setAttribute("r", "5");
		mark.setAttribute("class", "mark");
		said.setAttribute("class", "said end");
		said.setAttribute("x", svg.viewBox.baseVal.width - 8);
		said.setAttribute("y", "46");
		function ask(event) {
			var frame = svg.getBoundingClientRect();
			var scale = svg.viewBox.baseVal.width / frame.width;
			var x = (event.clientX - frame.left) * scale, y = (event.clientY - frame.top) * scale;
			var best = null, least = 400;
			points = points || asked.dataset.points.trim().split(" ").filter(Boolean).map(function (each) {
				return each.split(",").map(Number);
			});
			points.forEach(function (point) {
				var far = Math.pow(point[0] - x, 2) + Math.pow(point[1] - y, 2);
				if (far < least) { least = far; best = point; }
			});
			if (!best) { mark.remove(); said.remove(); return; }
			mark.setAttribute("cx", best[0]);
			mark.setAttribute("cy", best[1]);
			said.textContent = "call " + best[2] + ": " + asked.dataset.x + " = " + (names[best[3]] || best[3]) + ", " + asked.dataset.y + " = " + best[4];
			svg.append(mark, said);
		}
		svg.addEventListener("mousemove", ask);
		svg.addEventListener("mouseleave", function () { mark.remove(); said.remove(); });
	});

	/* What if: sliders of features, the cost by the formula, and what that does to callers. */
	function value(formula, x) {
		return formula.reduce(function (sum, term) {
			return sum + term.slice(1).reduce(function (product, f) {
				if (f.length === 2) return product * Math.pow(f[0], x[f[1]]);
				return product * Math.pow(x[f[2]], f[0]) * (f[1] ? Math.pow(Math.log(x[f[2]]), f[1]) : 1);
			}, term[0]);
		}, 0);
	}
	function expected(one, x) {
		return one.models.reduce(function (sum, model) { return sum + model.p * value(model.f, x); }, 0);
	}
	function add(parent, name, text, kind) {
		var made = document.createElement(name);
		if (text) made.textContent = text;
		if (kind) made.className = kind;
		parent.appendChild(made);
		return made;
	}
	function slider(box, feature, change) {
		var low = Math.min(feature.min, 0), high = feature.max > 0 ? 10 * feature.max : feature.max + 1;
		var row = add(box, "label", feature.name + " "), range = add(row, "input"), shown = add(row, "output");
		var from = 100 * (feature.min - low) / (high - low), to = 100 * (feature.max - low) / (high - low);
		range.type = "range";
		range.min = low;
		range.max = high;
		range.step = "any";
		range.value = feature.max;
		range.style.background = "linear-gradient(to right, var(--beyond) " + from + "%, var(--bar) " + from + "% " + to + "%, var(--beyond) " + to + "%)";
		range.addEventListener("input", function () { shown.textContent = Number(Number(range.value).toPrecision(4)); change(); });
		shown.textContent = feature.max;
		return { read: function () { return Number(range.value); }, feature: feature };
	}
	document.querySelectorAll(".what-if").forEach(function (box) {
		var model = JSON.parse(box.dataset.model), sliders, choice = null, said, callers;
		function tell() {
			var one = model.cases[choice ? choice.selectedIndex : 0];
			var x = sliders.map(function (each) { return each ? each.read() : NaN; });
			var cost = expected(one, x);
			var beyond = sliders.some(function (each, i) { return each && (x[i] < each.feature.min || x[i] > each.feature.max); });
			said.textContent = isFinite(cost) ? "a call costs " + amount(cost, model.unit) + (beyond ? ", extrapolated" : "") : "this case needs a value that has no slider";
			said.classList.toggle("beyond", beyond);
			callers.replaceChildren();
			model.callers.forEach(function (caller) {
				var now = caller[1] - caller[2] + caller[2] * cost / model.mean;
				if (isFinite(now)) add(callers, "li", "its caller " + caller[0] + ": " + amount(now, model.unit) + " instead of " + amount(caller[1], model.unit), beyond ? "beyond" : "");
			});
		}
		add(box, "h3", "What if");
		if (model.cases.length > 1) {
			choice = add(add(box, "label", "where "), "select");
			model.cases.forEach(function (one) { add(choice, "option", one.scope || "always"); });
			choice.addEventListener("change", tell);
		}
		sliders = model.features.map(function (feature) { return feature && slider(box, feature, tell); });
		said = add(box, "p", "", "predicted");
		callers = add(box, "ul", "");
		box.hidden = false;
		tell();
	});

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
