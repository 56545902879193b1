#!/bin/sh
# Attaching to processes whose files are not where they were, or not where we see them; and to those that become
# another program, end, or start others.
# not sanitized: what opens files is in images.sh, debug_files.sh and debug_forms.sh, too, and this is long
. "$(dirname "$0")/lib"

[ "$(id -u)" = 0 ] || {
	echo 'only root may do this to processes'
	exit 77
}
fixtures=$build/fixtures
cp "$fixtures/loads-gcc" "$fixtures/libneeded-gcc.so" "$fixtures/plugin-gcc.so" .
process=
trap '[ -z "$process" ] || kill -9 "$process" 2>/dev/null; rm -rf "$scratch"' EXIT

wait_for() {
	for _ in $(seq 1200); do
		! grep -q "$1" "$2" 2>/dev/null || return 0
		sleep 0.05
	done
	fail "'$1' was not said"
}
# begin COMMAND...: in the background, until it says that it is ready; the number of the process that says so is $process
begin() {
	rm -f begun attach.fathom
	"$@" >begun 2>&1 </dev/null &
	wait_for 'is ready' begun
	process=$(sed -n 's/^process \(.*\) is ready$/\1/p' begun)
}
ask() {
	sqlite3 -separator ' ' attach.fathom "$1"
}
# attached ARGUMENT...: for a moment; then it is not harmed, and goes on to its end
attached() {
	for seconds in 0.3 3 30; do # whoever gets no processor makes no calls
		rm -f attach.fathom
		run 0 attach --for $seconds -o attach.fathom --no-models "$@" "$process"
		[ "$(ask 'SELECT min(calls) FROM account')" -le 10 ] || break
	done
	[ "$(ask 'SELECT min(calls) > 10 AND max(abandoned) <= 1 FROM account')" = 1 ] || fail 'calls were lost'
	kill -0 "$process" || fail 'the process was harmed'
}
end() {
	kill -9 "$process"
	wait
	process=
}

# Libraries that were loaded before are known by the functions' names, or their own.
begin ./loads-gcc ./plugin-gcc.so 300
attached -f plugin_work -f needed_work
attached -f plugin-gcc.so:plugin_work -f libneeded-gcc.so:needed_work
[ "$(ask 'SELECT name, replace(module, "'"$PWD"'/", "") FROM function ORDER BY 1')" = "needed_work libneeded-gcc.so
plugin_work plugin-gcc.so" ] || fail 'the libraries are not told'
run 2 attach -f plugin_wrk "$process"
complains 'no function "plugin_wrk"'
end

# A program that was removed, or replaced by another one.
cp "$fixtures/interrupt-gcc-O2" program
begin ./program dies 300
rm program
attached -f work
end
cp "$fixtures/interrupt-gcc-O2" program
begin ./program dies 300
cp "$fixtures/images-gcc-O2" another
mv another program
attached -f work
[ "$(ask 'SELECT executable FROM run')" = "$PWD/program" ] || fail 'the program is not named'
run 2 attach -f main_loop "$process"
complains "$PWD/program: no function"
end

# A library that was removed.
cp plugin-gcc.so gone.so
begin ./loads-gcc ./gone.so 300
rm gone.so
if [ -r "/proc/$process/map_files/$(sed -n 's/^0*\([^ ]*\)-0*\([^ ]*\) r-xp .*gone.*/\1-\2/p' "/proc/$process/maps")" ]; then
	attached -f plugin_work
fi
end

# Another root: other files under the same names.
mkdir -p root/lib64 root/lib/x86_64-linux-gnu
cp -L /lib64/ld-linux-x86-64.so.2 root/lib64
cp -L /lib/x86_64-linux-gnu/libc.so.6 root/lib/x86_64-linux-gnu
cp loads-gcc libneeded-gcc.so plugin-gcc.so root
if LD_LIBRARY_PATH=/ chroot root ./loads-gcc ./plugin-gcc.so 0 >/dev/null 2>&1; then
	begin env LD_LIBRARY_PATH=/ chroot root ./loads-gcc ./plugin-gcc.so 300
	attached -f plugin_work -f needed_work -f usleep
	end
fi

# Another mount namespace: files that we do not see at all.
mkdir mounted
if unshare -m mount -t tmpfs none mounted 2>/dev/null; then
	cat >enter <<'END'
#!/bin/sh
mount -t tmpfs none mounted
cp loads-gcc libneeded-gcc.so plugin-gcc.so mounted
cd mounted
exec ./loads-gcc ./plugin-gcc.so "$@"
END
	chmod +x enter
	begin unshare -m ./enter 300
	attached -f plugin_work -f needed_work -f usleep
	[ "$(ask "SELECT executable FROM run")" = "$PWD/mounted/loads-gcc" ] || fail 'the program is not named'
	end
	run 0 run -f needed_work -f "$PWD/mounted/plugin-gcc.so:plugin_work" --follow-fork -o run.fathom \
		--no-models -- unshare -m ./enter 2
	[ "$(sqlite3 run.fathom 'SELECT count(*) FROM account WHERE calls > 10')" = 2 ] ||
		fail 'a program in a namespace of its own is not measured'
fi

# It becomes another program meanwhile; it ends meanwhile.
cat >later <<'END'
#!/bin/sh
echo "process $$ is ready"
read -r _ <go
exec "$@"
END
chmod +x later
mkfifo go
begin ./later "$fixtures/interrupt-gcc-O2" dies 1
run 3 attach -f work "$process"
complains 'add --follow-fork'
timeout 120 "$fathom" attach --max-overhead none --samples all -f work --follow-fork -o attach.fathom --no-models \
	"$process" >output 2>errors </dev/null &
tool=$!
wait_for '^TracerPid:.*[1-9]' "/proc/$process/status"
echo >go
wait "$tool" || fail "fathom attach --follow-fork: status $?"
grep -q 'exited with status 0' errors || fail 'the process was harmed'
[ "$(sed -n 's/^made \(.*\) calls$/\1/p' begun)" = "$(ask 'SELECT calls FROM account')" ] || fail 'calls were lost'
process=
wait

# It starts others all the time.
begin sh -c 'echo "process $$ is ready"; i=0; while [ $i -lt 600 ]; do /bin/true || echo failed; i=$((i + 1)); done; echo finished'
for follow in '' --follow-fork; do
	timeout 60 "$fathom" attach -f 'libc.so.6:fork' -f 'libc.so.6:wait4' $follow --for 0.3 --no-models "$process" \
		>output 2>errors
	status=$?
	[ $status -eq 0 ] || [ $status -eq 2 ] || { # it may have ended meanwhile
		[ $status -eq 3 ] && grep -q 'finished' begun
	} || fail "fathom attach $follow: status $status"
done
wait_for finished begun
! grep -q 'failed' begun || fail 'a child was harmed'
process=
wait
