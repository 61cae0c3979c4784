# Any move, in the language of the shell: it needs no rules, for it is told what is allowed.
moves=""
while read -r word rest; do
    case $word in
        agon) printf 'id name Shell\nwants legal\nagonok\n' ;;
        legal) moves=$rest ;;
        go)
            set -- $moves
            shift $(( $(od -An -N2 -tu2 /dev/urandom) % $# ))
            echo "bestmove $1" ;;
        quit) exit ;;
    esac
done
