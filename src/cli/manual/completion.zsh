#compdef fathom
# Completion of fathom for zsh, made by fathom document --zsh.

#:tables
_fathom_programs() {
	_alternative 'commands:command:_command_names -e' 'files:program:_files -g "*(-*)"'
}

# Processes that may be attached to: our own, all of them if we are root, and none of the kernel's.
_fathom_pids() {
	local each
	local -a pids names
	for each in /proc/<1->(N); do
		[[ ( -O $each || $EUID -eq 0 ) && -e $each/exe ]] || continue
		pids+=(${each:t})
		names+=("${each:t}  $(readlink $each/exe 2>/dev/null)")
	done
	compadd -X process -l -d names -a pids
}

_fathom_profiles() {
	_files -g '*.fathom(-.)'
}

# Functions that the program has, as far as a moment is enough to find them: that behind --, or the first that there
# is among the arguments, a process too; of predict: those of the annotations.
_fathom_functions() {
	local each subject plain="${(Q)PREFIX}" pattern
	local -a names
	integer behind=${line_words[(ie)--]}
	if (( behind < $#line_words )); then
		subject=${(Q)line_words[behind + 1]}
	else
		for each in "${(@Q)line_words[3,-1]}"; do
			each=${each/#\~\//$HOME/}
			if [[ -f $each || $each == <1-> && -d /proc/$each ]]; then
				subject=$each
				break
			fi
		done
	fi
	subject=${subject/#\~\//$HOME/}
	[[ -n $subject ]] || return 1
	if [[ $line_words[2] == predict ]]; then
		names=("${(@f)$(sed -n 's/^\([^ /].*\)\.[A-Za-z]* {$/\1/p' $subject 2>/dev/null)}")
	else
		pattern="$plain*"
		if [[ $plain == *[*?\[\]]* ]]; then pattern='*'; fi
		names=("${(@f)$(timeout 3 ${(Q)~line_words[1]} list -q $subject $pattern 2>/dev/null </dev/null |
			sed -n '/^[^ ].*  0x/s/  .*//p')}")
	fi
	names=(${names:#})
	compadd -X function -a names
}

_fathom() {
	local -a line_words=("${words[@]}")
	if (( CURRENT == 2 )); then
		_fathom_commands || { _fathom_programs; _fathom_pids; _fathom_profiles } # of a session
		return
	fi
	shift words
	(( CURRENT-- ))
	case $words[1] in
	help)
		_fathom_commands
		;;
	#:commands
	esac
}

_fathom "$@"
