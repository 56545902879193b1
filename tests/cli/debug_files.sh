#!/bin/sh
# Debug information that is not in the program itself: wherever it is found, what is read is right; where it is
# not found or not enough, fathom says so.
. "$(dirname "$0")/lib"
. "$top/tests/cli/forms_lib"

need() {
	if ! have "$1"; then
		skip "$form: $1 is not installed"
		return 1
	fi
}
# make OPTION...: the program forms, built by gcc with a build-id.
make() {
	rm -rf forms forms.* *.o *.dwo *.dwp .debug
	cp "$top"/fixtures/dwarf/forms.* .
	{ gcc -O1 "$@" -c forms.c -o c.o && g++ -O1 "$@" -c forms.cc -o cc.o &&
		g++ "$@" -Wl,--build-id c.o cc.o -o forms; } >output 2>errors || fail "$form: cannot be built"
}
# The debug information goes to the file named, and out of the program: separate FILE
separate() {
	mkdir -p "$(dirname "$1")"
	objcopy --only-keep-debug forms "$1" && strip -g forms
}
build_id() {
	readelf -n "$1" | sed -n 's/.*Build ID: *//p'
}
refused() {
	run 2 list forms
	complains "$1"
}

form='.gnu_debuglink, beside'
make -g
separate forms.debug
objcopy --add-gnu-debuglink=forms.debug forms
checked forms

form='.gnu_debuglink, in .debug'
mkdir .debug
mv forms.debug .debug
checked forms

form='split, .dwo files beside the program'
make -gdwarf-5 -gsplit-dwarf
mkdir -p beside
mv forms c.dwo cc.dwo beside
(cd beside && check forms) || failed="$failed; $form"

form='split, one .dwo file missing'
mv beside/* .
rm c.dwo
run 0 list forms
says 'shapes::Box<long>::fill(int, bool)'
complains 'the split debug information of 1 unit is missing, first c.dwo'

form='split, all .dwo files missing'
rm cc.dwo
refused 'its split debug information cannot be found (c.dwo)'

form='split, a truncated .dwo file'
make -gdwarf-5 -gsplit-dwarf
for file in c.dwo cc.dwo; do
	head -c 100 $file >short && mv short $file
done
refused 'its split debug information cannot be read (c.dwo): the file is broken, or gcc made it with'

form='split, with type units of gcc, each in a section of its own'
cat >types.cc <<'END'
struct Inner { int sides; };
struct Outer { Inner inner; int extra; };
__attribute__((noinline)) int total(const Outer &outer) { return outer.inner.sides + outer.extra; }
int main(int argc, char **) { return total(Outer{{argc}, 2}); }
END
if g++ -gdwarf-4 -gsplit-dwarf -fdebug-types-section types.cc -o types 2>errors; then
	run 0 list --features types total
	! grep 'void, which is not read' output || fail "$form: what is not found is taken for void"
	grep -q 'outer.inner.sides' output || says 'of a type that libdw does not find'
fi

form='a broken unit'
make -gdwarf-5
# The version of the second unit becomes 99.
python3 - <<'END' || fail "$form: cannot be made"
import re, subprocess
program = bytearray(open("forms", "rb").read())
sections = subprocess.run(["readelf", "-SW", "forms"], capture_output=True, text=True).stdout
start = int(re.search(r"\.debug_info +PROGBITS +\w+ (\w+)", sections).group(1), 16)
second = 4 + int.from_bytes(program[start:start + 4], "little")
program[start + second + 4] = 99
open("forms", "wb").write(program)
END
run 0 list forms
says 'linked'
complains 'the debug information is broken behind the unit at offset'

form='split, in a .dwp file'
if need llvm-dwp; then
	make -gdwarf-5 -gsplit-dwarf
	if llvm-dwp -e forms -o forms.dwp >output 2>errors; then
		rm c.dwo cc.dwo
		timeout 20 "$fathom" list forms >output 2>errors </dev/null && checked forms
		# libdw reads these files since version 0.191.
		[ ! -s errors ] || { complains 'its debug information is in forms.dwp, which this version of libdw' &&
			skip "$form: $(cat errors)"; }
	else
		skip "$form: $(head -n 1 errors)"
	fi
fi

form='dwz'
if need dwz; then
	make -g
	cp forms forms.two
	dwz -m forms.common forms forms.two || fail 'dwz'
	readelf -SW forms | grep -q gnu_debugaltlink || fail 'dwz put nothing into a common file'
	checked forms

	form='dwz, the common file missing'
	rm forms.common
	run 2 list forms
	complains 'forms.common'
fi

form='a folder of build-ids'
make -g
id=$(build_id forms)
separate "debug/.build-id/$(echo "$id" | cut -c 1-2)/$(echo "$id" | cut -c 3-).debug"
# In a name space of its own, so that the machine's /usr/lib/debug is not touched.
cat >in_namespace <<'END'
mount -t tmpfs none /usr/lib/debug && cp -r debug/.build-id /usr/lib/debug && exec "$@"
END
if [ -d /usr/lib/debug ] && unshare -rm sh in_namespace true 2>errors; then
	fathom_plain=$fathom
	printf '#!/bin/sh\nexec unshare -rm sh in_namespace %s "$@"\n' "$fathom" >wrapped
	chmod +x wrapped
	fathom=./wrapped
	checked forms
	fathom=$fathom_plain
else
	skip "$form: no name space for it ($(head -n 1 errors))"
fi

form='a folder of build-ids, elsewhere'
run 0 list forms
complains 'has no usable debug information'
fathom_plain=$fathom
printf '#!/bin/sh\ncommand=$1\nshift\nexec %s $command --debuginfo-path=nowhere:debug "$@"\n' "$fathom" >wrapped
chmod +x wrapped
fathom=./wrapped
checked forms
fathom=$fathom_plain
form='a folder of build-ids, elsewhere, from the environment'
export DEBUGINFO_PATH=debug
checked forms
unset DEBUGINFO_PATH

form='debuginfod'
cat >server.py <<'END'
import http.server, sys
server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
print(server.server_port, flush=True)
server.serve_forever()
END
if find /usr/lib /lib -name 'libdebuginfod.so.1*' 2>/dev/null | grep -q .; then
	make -g
	id=$(build_id forms)
	separate "served/buildid/$id/debuginfo"
	cp forms forms.plain
	(cd served && exec python3 ../server.py) >port 2>served.log &
	server=$!
	for _ in $(seq 300); do
		[ -s port ] || sleep 0.2
	done
	export DEBUGINFOD_URLS="http://127.0.0.1:$(cat port)/" DEBUGINFOD_CACHE_PATH="$scratch/cache" \
		DEBUGINFOD_TIMEOUT=10
	checked forms
	kill "$server"
	grep -q "GET /buildid/$id/debuginfo" served.log || failed="$failed; $form: nothing was asked of the server"

	form='a debuginfod server that does not answer'
	cat >mute.py <<'END'
import socket
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
clients = []
while True:
	clients.append(server.accept()[0])
	print(clients[-1].recv(99).decode(), flush=True)
END
	printf 'int other;' | gcc -shared -g -x c - -o other.so # another build-id than what was found
	strip other.so
	rm port # of the server before: the file is made anew some time after the command is begun
	python3 mute.py >port &
	server=$!
	for _ in $(seq 300); do
		[ -s port ] || sleep 0.2
	done
	export DEBUGINFOD_URLS="http://127.0.0.1:$(cat port)/" DEBUGINFOD_TIMEOUT=60 DEBUGINFOD_CACHE_PATH="$scratch/mute.cache"
	"$fathom" list ./other.so >output 2>errors &
	asking=$!
	for _ in $(seq 300); do
		grep -q "asking http://127.0.0.1:[0-9]*/ for debug information of ./other.so, Ctrl-C to go on without" errors && break
		sleep 0.2
	done
	kill -INT "$asking"
	wait "$asking"
	[ $? -eq 2 ] || fail "$form: SIGINT does not go on without"
	grep -q 'asking http' errors || fail "$form: nobody is told who is asked"
	grep -q 'no debug information' errors || fail "$form: going on without says nothing"

	form='a debuginfod server that does not answer in time'
	printf 'int third;' | gcc -shared -g -x c - -o third.so
	strip third.so
	id=$(build_id third.so)
	DEBUGINFOD_TIMEOUT=1 "$fathom" list ./third.so >output 2>errors && fail "$form: it has debug information"
	grep -q 'no debug information' errors || fail "$form: it is not gone on without"
	[ "$(grep -c "/buildid/$id/debuginfo" port)" -eq 1 ] || fail "$form: it is not asked once"
	kill "$server"
	unset DEBUGINFOD_URLS
else
	skip "$form: libdebuginfod is not installed"
fi

form='nowhere'
make -g
separate elsewhere.debug
strip forms
refused 'has no debug information'

form='nowhere, but a library has its own'
echo 'int own(int n) { return n + 1; }' >own.c
gcc -g -O1 -shared -fPIC own.c -o libown.so
echo 'int own(int); int main(void) { return own(3) == 0; }' >stripped.c
gcc -s stripped.c -o stripped -L. -lown "-Wl,-rpath,$PWD" >output 2>errors || fail "$form: cannot be built"
run 0 list stripped own
says 'libown.so'
run 2 list stripped
complains 'stripped: has no debug information'
run 2 run -f main -- ./stripped
complains 'stripped: has no debug information'
run 0 run -q -f libown.so:own -r report -- ./stripped
grep -q '^own.time' report || fail "$form: no call was measured"

form='-g1'
make -g1
run 0 list --features forms
says 'plain'
says 'linked'
run 0 run -q -f plain -o forms.fathom -r report -- ./forms
[ "$(sqlite3 forms.fathom 'SELECT count(*) FROM sample_1')" = 3 ] || fail "$form: not three calls of plain"

form='symbols only'
make -g
strip -g forms
timeout 20 "$fathom" list forms >output 2>errors </dev/null && status=0 || status=$?
if [ "$status" -eq 0 ]; then
	says 'linked'
	says 'shapes::Box<long>::fill(int, bool)'
else
	complains 'has no debug information'
	skip "$form: $(cat errors)"
fi

forms_end
