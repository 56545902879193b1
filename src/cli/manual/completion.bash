# shellcheck shell=bash disable=SC2154,SC1007,SC2209 # tables are made at the mark; empty values and names of kinds are meant
# Completion of fathom for bash, made by fathom document --bash.

#:tables
# The words up to the cursor, in one piece what bash broke at colons and the like.
_fathom_split() {
	local line=${COMP_LINE:0:COMP_POINT} blank word i
	words=()
	for ((i = 0; i <= COMP_CWORD; i++)); do
		blank=${line%%[![:blank:]]*}
		line=${line#"$blank"}
		word=${COMP_WORDS[i]}
		((i < COMP_CWORD)) || word=$line
		if ((i == 0)) || [[ -n $blank ]]; then words+=("$word"); else words[-1]+=$word; fi
		line=${line#"$word"}
	done
}

# A word without its quotes, and with the home folder.
_fathom_plain() {
	plain=$1
	quote=
	case $plain in
	[\'\"]*)
		quote=${plain:0:1}
		plain=${plain:1}
		plain=${plain%"$quote"}
		;;
	*)
		plain=${plain//\\/}
		plain=${plain/#\~\//$HOME/}
		;;
	esac
}

# The kind of an option's value; empty: it takes none.
_fathom_kind() {
	local each
	kind=
	for each in "${options[@]}"; do
		if [[ $each == "$1="* ]]; then kind=${each#*=}; fi
	done
}

# What was typed already and bash keeps: all up to the last character at which it breaks words.
_fathom_kept() {
	local break head
	kept=
	[[ -z $quote ]] || return
	for break in : =; do
		if [[ $COMP_WORDBREAKS == *"$break"* && $1 == *"$break"* ]]; then
			head=${1%"${1##*"$break"}"}
			if ((${#head} > ${#kept})); then kept=$head; fi
		fi
	done
}

# Those of the words that go on with what was typed, quoted.
_fathom_offer() {
	local each
	for each; do
		[[ $each == "$plain"* ]] || continue
		if [[ -z $quote ]]; then
			printf -v each %q "$each"
			each=${each//\\,/,}
		fi
		COMPREPLY+=("${each#"$kept"}")
	done
}

# Files, which bash quotes itself: all, or folders and those for which a test holds.
_fathom_files() {
	local each
	compopt -o filenames 2>/dev/null
	while IFS= read -r each; do
		if [[ -d $each ]] || "$@"; then COMPREPLY+=("${each#"$kept"}"); fi
	done < <(compgen -f -- "$plain")
}
_fathom_is_profile() { [[ $each == *.fathom ]]; }
_fathom_is_program() { [[ -x $each ]]; }

_fathom_programs() {
	local each
	_fathom_files _fathom_is_program
	if [[ -n $plain && $plain != */* ]]; then
		while IFS= read -r each; do COMPREPLY+=("$each"); done < <(compgen -c -- "$plain")
	fi
}

# Processes that may be attached to: our own, all of them if we are root, and none of the kernel's.
_fathom_pids() {
	local each
	for each in /proc/[0-9]*; do
		if [[ ( -O $each || $EUID -eq 0 ) && -e $each/exe ]]; then _fathom_offer "${each#/proc/}"; fi
	done
}

_fathom_list_of_metrics() {
	local each head=
	if [[ $plain == *,* ]]; then head=${plain%,*},; fi
	compopt -o nospace 2>/dev/null
	for each in "${_fathom_metrics[@]}"; do
		if [[ ,$head != *,$each,* ]]; then _fathom_offer "$head$each"; fi
	done
}

# Functions that the program has, as far as a moment is enough to find them; of predict: those of the annotations.
_fathom_functions() {
	local names=() pattern=$plain'*'
	if [[ $command == predict ]]; then
		mapfile -t names < <(sed -n 's/^\([^ /].*\)\.[A-Za-z]* {$/\1/p' "$subject" 2>/dev/null)
	elif [[ -n $subject ]]; then
		case $plain in *[][*?]*) pattern='*' ;; esac
		mapfile -t names < <(timeout 3 "$fathom" list -q "$subject" "$pattern" 2>/dev/null </dev/null |
			sed -n '/^[^ ].*  0x/s/  .*//p')
	fi
	_fathom_offer "${names[@]}"
}

_fathom_value() {
	local kinds each
	read -ra kinds <<<"$1"
	if [[ ${kinds[0]} == words ]]; then
		_fathom_offer "${kinds[@]:1}"
		return
	fi
	for each in "${kinds[@]}"; do
		case $each in
		file) _fathom_files true ;;
		folder) _fathom_files false ;;
		metrics) _fathom_list_of_metrics ;;
		function) _fathom_functions ;;
		program) _fathom_programs ;;
		pid) _fathom_pids ;;
		profile) _fathom_files _fathom_is_profile ;;
		command) _fathom_offer "${_fathom_commands[@]}" ;;
		esac
	done
}

# Whose functions are meant: the program behind --, wherever that is, or the first argument.
_fathom_subject() {
	local i kind is_value=0 each
	subject=
	for ((i = 2; i < ${#COMP_WORDS[@]}; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then subject=${COMP_WORDS[i + 1]-}; break; fi
	done
	# The words behind the cursor are those that bash made; they have no values of options with colons.
	if [[ -z $subject ]]; then
		for each in "${words[@]:2:${#words[@]} - 3}" "${COMP_WORDS[@]:COMP_CWORD + 1}"; do
			if ((is_value)); then is_value=0; continue; fi
			if [[ $each == -* ]]; then
				_fathom_kind "$each"
				if [[ -n $kind ]]; then is_value=1; fi
				continue
			fi
			subject=$each
			break
		done
	fi
	_fathom_plain "$subject"
	subject=$plain
}

# What the word at the cursor is: the value of an option, an option, or an argument.
_fathom_word() {
	local kind= place=0 behind=0 each last=$((${#words[@]} - 1)) raw
	for each in "${words[@]:2:last - 2}"; do
		if ((behind)); then ((behind++))
		elif [[ -n $kind ]]; then kind=
		elif [[ $each == -- ]]; then behind=1
		elif [[ $each == -* ]]; then _fathom_kind "$each"
		else ((place++)); if ((ends)); then behind=2; fi
		fi
	done
	raw=${words[last]}
	if ((behind > 1)); then kind=file
	elif ((behind)); then kind=program
	elif [[ -n $kind ]]; then :
	elif [[ $raw == --*=* ]]; then
		_fathom_kind "${raw%%=*}"
		raw=${raw#*=}
	elif [[ $raw == -* ]]; then
		_fathom_plain "$raw"
		if ((launches)); then _fathom_offer --; fi
		_fathom_offer "${options[@]%%=*}"
		return
	else
		each=${arguments[-1]-}
		if ((place < ${#arguments[@]})); then each=${arguments[place]}; elif [[ $each != *...* ]]; then each=; fi
		kind=${each% ...}
	fi
	_fathom_subject
	_fathom_plain "$raw"
	_fathom_kept "$raw"
	_fathom_value "$kind"
}

_fathom() {
	local words command fathom plain quote kept= subject options arguments launches ends
	COMPREPLY=()
	_fathom_split
	_fathom_plain "${words[0]}"
	fathom=$plain
	command=${words[1]}
	if ((${#words[@]} > 2)); then
		_fathom_table "$command"
		_fathom_word
		return
	fi
	_fathom_plain "$command"
	if [[ $command == -* ]]; then
		_fathom_offer --help --version
	else
		_fathom_offer "${_fathom_commands[@]}"
		if ((${#COMPREPLY[@]} == 0)); then
			_fathom_kept "$command"
			_fathom_value 'program pid profile' # of a session
		fi
	fi
}

complete -F _fathom fathom
