#!/bin/sh
# Two units, one of C and one of C++, in every form that debug information comes in: their functions are listed, and
# what is read of their arguments is what they print.
# sanitized by --full: what reads debug information is fuzzed, and read by every other test
. "$(dirname "$0")/lib"

. "$top/tests/cli/forms_lib"

# build COMPILER C++-COMPILER OPTION...: builds the program forms; status 1 if the tools cannot.
build() {
	cc=$1 cxx=$2
	shift 2
	"$cc" -O1 "$@" -c forms.c -o c.o && "$cxx" -O1 "$@" -c forms.cc -o cc.o &&
		"$cxx" -O1 "$@" c.o cc.o -o forms
}

# try OPTION...: with both compilers, what each can do; with sanitizers gcc will do.
try() {
	for compilers in 'gcc g++' 'clang clang++'; do
		[ -z "${FATHOM_SANITIZED:-}" ] || [ "$compilers" = 'gcc g++' ] || continue
		form="${compilers%% *} $*"
		rm -f forms *.o *.dwo
		have "${compilers%% *}" || { skip "$form: not installed" && continue; }
		# shellcheck disable=SC2086 # two words
		if build $compilers "$@" >output 2>errors; then
			checked forms
		else
			skip "$form: $(head -n 1 errors)"
		fi
	done
}

try -gdwarf-4
try -gdwarf-5
try -gdwarf-4 -gsplit-dwarf
try -gdwarf-5 -gsplit-dwarf
try -g -gz=zlib
try -g -gz=zstd
try -g -fdebug-types-section
try -gdwarf-4 -fdebug-types-section
try -g -ffunction-sections -Wl,--gc-sections
try -g -static-pie -fPIE
try -g -static
try -g -no-pie -fno-pie
try -g -flto
try -g -gdwarf-5 -fuse-ld=lld
try -g -gdwarf-5 -fuse-ld=lld -Wl,--icf=all -ffunction-sections
try -g -fuse-ld=gold -Wl,--icf=all -ffunction-sections
try -ggdb3
try -gdwarf-5 -fuse-ld=lld -Wl,--gdb-index -ggnu-pubnames
try -gdwarf-5 -fstandalone-debug
try -gdwarf-5 -fno-standalone-debug
try -gdwarf-5 -gdwarf64
try -gdwarf-5 -mllvm -accel-tables=Dwarf
try -gdwarf-5 -flto -fuse-ld=lld
# Hooks at the entry, behind which clang says where parameters are.
try -g -pg -mfentry
try -g -fxray-instrument -fxray-instruction-threshold=1

forms_end
