# Completion for bash, for tgsi2spv and the tgsi- commands: options and their values are read from --help, devices from
# tgsi-run, so that they match the installed program.
_tgsi2spv() {
    local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} tool=${1##*/} words= commands=
    COMPREPLY=()
    if [ "$option" = = ] && [ "$COMP_CWORD" -ge 2 ]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}  # --emit=…: bash splits words at =
    elif [ "$word" = = ]; then
        word=
    fi
    local help=$(command "$1" --help 2>/dev/null | tr -d "\0")
    # The help names commands as "  tgsi-difftest merge 0.jsonl"; each has options of its own. Only plain names become
    # part of a pattern: sed executes commands that a pattern can smuggle in.
    if [[ $tool =~ ^[A-Za-z0-9-]+$ ]]; then
        commands=$(sed -nE "s/^  $tool ([a-z]+) .*/\1/p" <<<"$help" | sort -u)
    fi
    if [ "$COMP_CWORD" -ge 2 ] && grep -qxF -- "${COMP_WORDS[1]}" <<<"$commands"; then
        help=$(command "$1" "${COMP_WORDS[1]}" --help 2>/dev/null | tr -d "\0")
    fi
    # "--emit KIND:{spv,spvasm}" has its words in braces.
    if [[ $option =~ ^--?[A-Za-z][A-Za-z0-9-]*$ ]]; then
        words=$(sed -nE "s/.*$option[ ,][^ ]*[A-Za-z]*:?\{([^}]*)\}.*/\1/p" <<<"$help" | tr ',' ' ')
    fi
    # Parts of their names; tgsi-run is beside the command.
    if [ "$option" = --device ] || [ "$option" = --passes ]; then
        words=$(command "${1%"$tool"}tgsi-run" --list-devices 2>/dev/null | tr -d "\0" | sed -nE 's/^[0-9]+: ([A-Za-z0-9_.-]+).*/\1/p' | sort -u)
    fi
    if [ -n "$words" ]; then
        COMPREPLY=($(compgen -W "$words" -- "$word"))
    elif [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$(grep -oE '^ {1,4}(-[a-zA-Z],)?--?[a-zA-Z][a-zA-Z0-9-]*' <<<"$help" | tr -d ' ' | tr ',' '\n' | sort -u)" -- "$word"))
    else
        compopt -o filenames 2>/dev/null
        [ "$COMP_CWORD" -eq 1 ] || commands=
        mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$word"; compgen -f -- "$word")
    fi
}
complete -F _tgsi2spv tgsi2spv tgsi-run tgsi-difftest tgsi-host tgsi-vm
