#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Asks this host about its disks, sets and file systems by commands that only read, and stores what they print
# as a capture for diskwright(8), which diskwright-capture(5) describes. As root it also reads, with dd(1), at the
# beginning and end of each disk and partition, where partition tables, metadata of sets and superblocks lie.
#   sh collect.sh [FILE.tar | FOLDER/ | -]
# Without an operand the capture gets a name made from host and date; - is the standard output, as tar.
# Nothing is overwritten. Run it as root: without, the commands that need root are left out, and it says so.
# Printed by diskwright @version@, collect --print-script.
set -eu
umask 077
LC_ALL=C
PATH=/sbin:/usr/sbin:/bin:/usr/bin:/usr/pkg/sbin:/usr/local/sbin
export LC_ALL PATH

version='@version@'
command_seconds=10
all_seconds=120
output_bytes=16777216
devices_at_most=256
pages_at_most=256
pieces_at_most=200
# Extended tables of one disk: as many as diskwright follows.
tables_at_most=64
devices=/dev
blocks=/sys/block
# Where to look on a disk or partition: counted from, distance, length.
places='@places@'

running=
watching=
work=
whole=no

# Messages; what the tools of this script complain of goes elsewhere later, and one line is made of it.
exec 3>&2

say() {
    printf '%s\n' "collect: $*" >&3
}

# say what, and end with that status.
give_up() {
    given_up=$1
    shift
    say "$@"
    exit "$given_up"
}

# A name that may become an operand.
is_plain() {
    case $1 in
        '' | -* | *[!A-Za-z0-9_./:@+=,-]*) return 1 ;;
    esac
    return 0
}

# Of the lines of standard input the plain names, each once, and no more than are asked about.
plain_names() {
    have=' '
    count=0
    while IFS= read -r name; do
        is_plain "$name" || continue
        case $have in *" $name "*) continue ;; esac
        count=$((count + 1))
        [ "$count" -le "$devices_at_most" ] || break
        have="$have$name "
        printf '%s\n' "$name"
    done
    return 0
}

# The text as it may stand between the quotes of JSON: printable ASCII of one line.
json_text() {
    printf '%s' "$1" | tr -cd ' -~' | cut -c 1-500 | sed 's/["\\]/\\&/g'
}

leave_out() {
    printf ',\n  {"what": "%s", "why": "%s"}' "$(json_text "$1")" "$(json_text "$2")" >>"$work/left_out"
}

# The values of passwords in options of mounts and in addresses of servers: no capture needs them.
without_secrets() {
    word='[Pp][Aa][Ss][Ss]([Ww][Oo][Rr][Dd]|[Ww][Dd]|[Pp][Hh][Rr][Aa][Ss][Ee])?|[Ss][Ee][Cc][Rr][Ee][Tt]'
    key="(^|[^A-Za-z0-9])($word)([0-9]*)="
    value="([^,\"'[:space:]]|,,)([^,[:space:]]|,,)*"
    address=':\/\/[^\/:@[:space:]]*:'
    user='user(name)?=[^%,[:space:]]*%'
    found=$(sed -E -n "/$key|$address|$user/{p;q;}" "$work/output")
    [ -n "$found" ] || return 0
    sed -E "s/$key([\"'])[^\"']*/\\1\\2\\4=\\5xxxxxxxx/g
        s/$key$value/\\1\\2\\4=xxxxxxxx/g
        s/($address)[^\\/[:space:]]*@/\\1xxxxxxxx@/g
        s/($user)$value/\\1xxxxxxxx/g" "$work/output" >"$work/masked"
    mv "$work/masked" "$work/output"
}

# number argv... of the output in $work/output, whose run is in $status, $seconds, $timed_out, $cut.
store() {
    without_secrets
    number=$((number + 1))
    file=$(printf '%03d-%s' "$number" "$*" | tr -c 'A-Za-z0-9_.@+=,-' '_' | cut -c 1-64).txt
    words=
    for word in "$@"; do
        words="$words${words:+, }\"$word\""
    done
    mv "$work/output" "$work/capture/$file"
    printf ',\n  {"file": "%s", "argv": [%s], "exit_status": %d, "seconds": %d, "timed_out": %s, "cut": %s}' \
        "$file" "$words" "$status" "$seconds" "$timed_out" "$cut" >>"$work/members"
}

# Runs argv with nothing but the search path in its environment. The limit on the size of files stops what
# prints without end; a shell counts it in blocks of 512 bytes.
limited() {
    ulimit -f $((output_bytes / 512)) 2>/dev/null || :
    if [ "$has_timeout" = yes ]; then
        exec timeout -k 2 "$command_seconds" env -i PATH="$PATH" LC_ALL=C "$@"
    fi
    exec env -i PATH="$PATH" LC_ALL=C "$@"
}

nap() {
    sleep "$1" &
    napping=$!
    wait "$napping"
    napping=
}

# Ends the process when its time is over, by force if need be. One that cannot be ended, since the kernel waits
# for a device, is left behind: the signal makes this script go on.
watch() {
    napping=
    trap '[ -z "$napping" ] || kill "$napping"; exit 0' TERM
    # A signal that came before this process had forgotten the traps of its parent is lost.
    [ ! -e "$work/over" ] || exit 0
    nap "$command_seconds"
    : >"$work/late"
    kill -s TERM "$1"
    nap 2
    kill -s KILL "$1"
    nap 1
    : >"$work/left_behind"
    kill -s ALRM $$
}

# In the background, so that a signal to this script is heard at once.
run_watched() {
    rm -f "$work/late" "$work/left_behind" "$work/over"
    limited "$@" >"$work/output" 2>"$work/errors" </dev/null 3>&- &
    running=$!
    watch "$running" </dev/null >/dev/null 2>&1 3>&- &
    watching=$!
    status=0
    wait "$running" 2>/dev/null || status=$?
    while kill -0 "$running" 2>/dev/null && [ ! -e "$work/left_behind" ]; do
        status=0
        wait "$running" 2>/dev/null || status=$?
    done
    running=
    : >"$work/over"
    kill "$watching" 2>/dev/null || :
    wait "$watching" 2>/dev/null || :
    watching=
}

# run root|anyone argv...
run() {
    needs=$1
    shift
    case $asked in *"|$*|"*) return 0 ;; esac
    asked="$asked$*|"
    command -v "$1" >/dev/null 2>&1 || return 0
    if [ "$needs" = root ] && [ "$is_root" = no ]; then
        leave_out "$*" 'needs root'
        return 0
    fi
    begun=$(date +%s)
    if [ "$begun" -ge "$end" ]; then
        leave_out "$*" 'left out, the time for looking is up'
        return 0
    fi
    run_watched "$@"
    seconds=$(($(date +%s) - begun))
    timed_out=false
    cut=false
    if [ "$(wc -c <"$work/output")" -ge "$output_bytes" ]; then
        cut=true
        leave_out "$*" 'printed more than is taken; the rest is left out'
    elif [ -e "$work/late" ] || { [ "$has_timeout" = yes ] && [ "$seconds" -ge "$command_seconds" ]; }; then
        timed_out=true
        leave_out "$*" 'gave no answer in time'
    elif [ "$status" -ne 0 ]; then
        why=$(sed '/^[[:space:]]*$/d' "$work/errors" | tail -n 1)
        case $1:$why in
            *:) ;;
            'cat:'*'No such file or directory') return 0 ;;
            *) leave_out "$*" "$why" ;;
        esac
    fi
    [ -s "$work/output" ] || return 0
    store "$@"
}

# What the commands before have printed, by the end of the file's name: devices are named by what is in the
# capture, and nothing is asked twice.
collected() {
    for stored in "$work"/capture/[0-9]*-"$1"*.txt; do
        if [ -f "$stored" ]; then cat "$stored"; fi
    done
}

# Likewise of the one command whose words these are.
printed() {
    for stored in "$work"/capture/[0-9]*-"$1".txt; do
        if [ -f "$stored" ]; then cat "$stored"; fi
    done
}

kernel_messages() {
    collected dmesg
    collected cat__var_run_dmesg.boot
}

# What is mounted with a type that begins so: device and mount point, a line each.
mounted() {
    if [ "$system" = linux ]; then
        collected cat__proc_mounts | while read -r device point type _; do
            case $type in "$1"*) printf '%s %s\n' "$device" "$point" ;; esac
        done
        return 0
    fi
    collected mount | while read -r device on point word type _; do
        [ "$on" = on ] || continue
        # FreeBSD: device on point (type, options); the others: device on point type TYPE (options).
        case $word in
            '('*) type=${word#\(} ;;
            type) ;;
            *) continue ;;
        esac
        type=${type%,}
        type=${type%\)}
        case $1:$type in "$1:$1"* | ffs:ufs) printf '%s %s\n' "$device" "$point" ;; esac
    done
    return 0
}

list_filesystem() {
    mounted "$1" | while read -r device _; do
        case $device in /dev/*) printf '%s\n' "${device#/dev/}" ;; esac
    done | plain_names
}

list_mount() {
    mounted "$1" | while read -r _ point; do printf '%s\n' "$point"; done | plain_names
}

# Disks, without what only looks like one: the layers above, memory and optical drives.
list_disk() {
    softraid=" $(list_volume softraid | tr '\n' ' ')"
    case $system in
        linux)
            for path in /sys/block/*; do
                printf '%s\n' "${path##*/}"
            done
            ;;
        netbsd | openbsd) collected sysctl | sed -n 's/^hw\.disknames *= *//p' | tr ', ' '\n' | sed 's/:.*//' ;;
        *) collected sysctl | sed -n 's/^kern\.disks: *//p' | tr ' ' '\n' | sort ;;
    esac | while read -r name; do
        case $softraid in *" $name "*) continue ;; esac
        case $name in
            loop* | ram* | zram* | nbd* | dm-* | md* | sr[0-9]* | fd[0-9]*) ;;
            cd[0-9]* | mcd[0-9]* | dk[0-9]* | raid[0-9]* | cgd[0-9]* | ccd[0-9]* | vnd[0-9]* | vn[0-9]* | rd[0-9]*) ;;
            *) printf '%s\n' "$name" ;;
        esac
    done | plain_names
}

# raidctl rewrites the component labels when it opens a set, so only sets in use are asked: those under a
# mounted file system or swap, itself or through a wedge.
raidframe_in_use() {
    {
        collected mount
        collected swapctl
    } | while read -r device _; do
        device=${device#/dev/}
        case $device in
            raid[0-9]*) printf '%s\n' "${device%[a-p]}" ;;
            dk[0-9]*) kernel_messages | sed -n "s/^\\[[^]]*\\] *//; s/^$device at \\(raid[0-9]*\\):.*/\\1/p" ;;
        esac
    done
}

list_volume() {
    case $1 in
        md)
            collected cat__proc_mdstat | while read -r name colon _; do
                case $name$colon in md*:) printf '%s\n' "$name" ;; esac
            done
            ;;
        softraid) kernel_messages | sed -n 's/^\(sd[0-9]*\) at scsibus.*<OPENBSD, SR .*/\1/p' ;;
        raidframe) raidframe_in_use ;;
    esac | plain_names
}

@commands@
# Size and sector of a disk in bytes; nothing when they are not known.
disk_size() {
    case $system in
        linux)
            if [ -r "$blocks/$1/size" ]; then
                sector=512
                if [ -r "$blocks/$1/queue/logical_block_size" ]; then
                    sector=$(cat "$blocks/$1/queue/logical_block_size")
                fi
                awk -v sector="$sector" '{ printf "%.0f %d\n", $1 * 512, sector }' "$blocks/$1/size"
            fi
            ;;
        freebsd)
            printed "diskinfo_-v_$1" | awk '
                $2 == "#" && $3 == "sectorsize" { sector = $1 }
                $2 == "#" && $3 == "mediasize" && $5 == "bytes" { size = $1 }
                END { if (size > 0 && sector > 0) print size, sector }'
            ;;
        netbsd | openbsd)
            # A label of 32 bits counts no more than 4294967295 sectors.
            {
                printed "gpt_-r_header_$1"
                printed "disklabel_$1"
            } | awk '
                /^Media Size:/ { size = $3 }
                /^Sector Size:/ || /^bytes\/sector:/ { sector = $NF }
                /^total sectors:/ && $3 != 4294967295 && sector > 0 && size == 0 { size = sprintf("%.0f", $3 * sector) }
                END { if (size > 0 && sector > 0) print size, sector }'
            ;;
    esac
}

# In what the listings count: Linux counts in 512 bytes on every disk.
partition_unit() {
    if [ "$system" = linux ]; then printf '512\n'; else printf '%s\n' "$1"; fi
}

# First sector and number of sectors of each partition that a listing of this disk shows.
partition_sectors() {
    case $system in
        linux)
            for folder in "$blocks/$1/$1"*; do
                if [ -r "$folder/start" ] && [ -r "$folder/size" ]; then
                    printf '%s %s\n' "$(cat "$folder/start")" "$(cat "$folder/size")"
                fi
            done
            ;;
        freebsd)
            # Tables within partitions count from their beginning.
            printed gpart_show | awk -v disk="$1" '
                $1 == "=>" { table = $4; scheme = $5; if (table == disk) begin[table] = 0; next }
                !(table in begin) || $3 !~ /^[0-9]+$/ { next }
                {
                    first = begin[table] + $1
                    if (scheme == "GPT") begin[table "p" $3] = first
                    if (scheme == "MBR" || scheme == "EBR") begin[table "s" $3] = first
                    printf "%.0f %.0f\n", first, $2
                }'
            ;;
        netbsd | openbsd)
            printed "disklabel_$1" | awk '/^ *[a-p]: +[0-9]+ +[0-9]+ / && $4 != "unused" { print $3, $2 }'
            printed "dkctl_${1}_listwedges" | awk '
                { for (i = 2; i < NF; i++) if ($i == "blocks" && $(i + 1) == "at") print $(i + 2) + 0, $(i - 1) }'
            ;;
    esac
}

# Pages of 4096 bytes of a device into PREFIX.piece, and what was said of them into PREFIX.errors: device prefix
# first count [dd operand]. In the background, so that the one who waits can be ended.
copy_part() {
    (limited dd if="$1" bs=4096 skip="$3" count="$4" ${5+"$5"}) >"$2.piece" 2>"$2.errors" </dev/null &
    part=$!
    copied=0
    wait "$part" || copied=$?
    part=
}

# Linux keeps pages of a device apart from what sets and file systems on it write: what it read of a member when
# the set was made, it would show for ever. Not every dd(1) and not every device knows better.
read_part() {
    if [ "$direct" = yes ]; then
        copy_part "$@" iflag=direct
        if [ "$copied" -eq 0 ] || [ -s "$2.piece" ]; then return 0; fi
    fi
    copy_part "$@"
    if [ "$direct" = yes ] && [ "$copied" -eq 0 ]; then direct=no; fi
}

# Where the DOS table at that byte of a page in standard input has extended tables, in sectors from the one that
# the third operand names: nothing where no table is. byte-in-page most from
extended_tables() {
    od -A n -v -t u1 -j "$1" -N 512 2>/dev/null | awk -v from="$3" -v most="$2" '
        { for (i = 1; i <= NF; i++) byte[count++] = $i }
        function number(at) { return ((byte[at + 3] * 256 + byte[at + 2]) * 256 + byte[at + 1]) * 256 + byte[at] }
        END {
            if (count < 512 || byte[510] != 85 || byte[511] != 170) exit
            for (at = 446; at < 510 && most > 0; at += 16) {
                type = byte[at + 4]
                if ((type != 5 && type != 15 && type != 133) || number(at + 12) == 0) continue
                printf "%.0f\n", from + number(at + 8)
                most--
            }
        }'
}

# The pages of the extended tables of a disk, a line each, into PREFIX.chain: device prefix size sector. The
# link to the next table counts from the first one.
follow_chain() {
    : >"$2.chain"
    tables=0
    read_part "$1" "$2" 0 1
    for first_table in $(extended_tables 0 4 0 <"$2.piece"); do
        next_table=$first_table
        while [ -n "$next_table" ] && [ "$tables" -lt "$tables_at_most" ]; do
            tables=$((tables + 1))
            # Not every shell counts beyond 32 bits.
            place=$(awk -v at="$next_table" -v sector="$4" -v disk="$3" 'BEGIN {
                at *= sector
                page = int(at / 4096)
                if (at + 512 <= disk) printf "%.0f %.0f\n", page, at - page * 4096
            }')
            [ -n "$place" ] || break
            printf '%s\n' "${place% *}" >>"$2.chain"
            read_part "$1" "$2" "${place% *}" 1
            next_table=$(extended_tables "${place#* }" 1 "$first_table" <"$2.piece")
        done
    done
}

# The pages to be read of a disk of that size and sector, neighbours together: offset in bytes, first page,
# number of pages, number of bytes. Standard input: pages, and the partitions in sectors. The third operand is a
# file that is made when there are more than the bounds allow.
plan_pages() {
    {
        printf '0 %s 1\n' "$1"
        sed "/ /s/\$/ $2/"
    } | awk -v disk="$1" -v places="$places" -v most="$pages_at_most" -v full="$3" '
        function look_at(first, bytes,    page, key) {
            for (page = int(first / 4096); page * 4096 < first + bytes && page * 4096 < disk; page++) {
                key = sprintf("%.0f", page)
                if (key in seen) continue
                if (count >= most) {
                    print "full" >full
                    return
                }
                seen[key] = 1
                count++
                print key
            }
        }
        BEGIN { number = split(places, list, ";") }
        NF == 1 { look_at($1 * 4096, 1); next }
        {
            start = $1 * $3
            size = $2 * $3
            if (start + size > disk) next
            for (i = 1; i <= number; i++) {
                split(list[i], place, " ")
                if (place[1] == "start") at = place[2] + 0
                if (place[1] == "end") at = size - place[2]
                if (place[1] == "end64k") at = int(size / 65536) * 65536 - place[2]
                if (at >= 0 && at < size) look_at(start + at, place[3])
            }
        }' | sort -n | awk -v disk="$1" '
        function put(    bytes) {
            if (count == 0) return
            bytes = count * 4096
            if (first * 4096 + bytes > disk) bytes = disk - first * 4096
            printf "%.0f %.0f %d %d\n", first * 4096, first, count, bytes
        }
        $1 == first + count && count > 0 { count++; next }
        { put(); first = $1; count = 1 }
        END { put() }'
}

# Why dd(1) stopped.
why_short() {
    sed '/records /d; /bytes.*copied/d; /bytes transferred/d; /^[[:space:]]*$/d' "$1.errors" | tail -n 1
}

# What is to be read of one device into files that begin with that prefix: device prefix size sector. A place that
# could not be read goes into .failed, with the reason; .done at the end. To be ended by a signal at any time.
read_pieces() {
    part=
    direct=no
    if [ "$system" = linux ]; then direct=yes; fi
    trap 'if [ -n "$part" ]; then kill "$part" 2>/dev/null; fi; exit 0' TERM
    follow_chain "$@"
    cat "$2.chain" "$2.partitions" | plan_pages "$3" "$(partition_unit "$4")" "$2.full" >"$2.plan"
    pieces=0
    : >"$2.bytes"
    : >"$2.regions"
    : >"$2.failed"
    while read -r offset first count bytes; do
        pieces=$((pieces + 1))
        if [ "$pieces" -gt "$pieces_at_most" ]; then
            : >"$2.full"
            break
        fi
        read_part "$1" "$2" "$first" "$count"
        length=$(($(wc -c <"$2.piece")))
        if [ "$length" -lt "$bytes" ]; then
            printf '%s %s of %s bytes read; %s\n' "$offset" "$length" "$bytes" "$(why_short "$2")" >>"$2.failed"
        fi
        [ "$length" -gt 0 ] || continue
        zero=', "zero": true'
        if [ "$(($(tr -d '\000' <"$2.piece" | wc -c)))" -gt 0 ]; then
            zero=
            cat "$2.piece" >>"$2.bytes"
        fi
        printf ',\n   {"offset": %s, "length": %s%s}' "$offset" "$length" "$zero" >>"$2.regions"
    done <"$2.plan"
    : >"$2.done"
}

# At the end of the script, whatever its reason: nobody reads any more then, or writes what is to be removed.
end_readers() {
    [ -f "$work/heads/list" ] || return 0
    while read -r index _ _ _ reader; do
        [ ! -f "$work/heads/$index.done" ] || continue
        kill "$reader" 2>/dev/null || :
        wait "$reader" 2>/dev/null || :
    done <"$work/heads/list"
}

# The node of a whole disk.
disk_device() {
    case $system in
        netbsd)
            # The raw partition: 3 is d, 2 is c.
            case $( (limited sysctl -n kern.rawpartition) 2>/dev/null || :) in
                3) printf '%s\n' "$devices/r${1}d" ;;
                2) printf '%s\n' "$devices/r${1}c" ;;
            esac
            ;;
        openbsd) printf '%s\n' "$devices/r${1}c" ;;
        linux | freebsd) printf '%s\n' "$devices/$1" ;;
    esac
}

# number name size sector: the entry of a device whose pieces were read.
store_device() {
    from="$work/heads/$1"
    if [ -f "$from.full" ]; then leave_out "$2" 'more partitions than are looked into'; fi
    [ -s "$from.regions" ] || {
        leave_out "$2" "$(why_short "$from")"
        return 0
    }
    while read -r offset why; do
        leave_out "$2 at byte $offset" "$why"
    done <"$from.failed"
    stored_in=
    if [ -s "$from.bytes" ]; then
        number=$((number + 1))
        file=$(printf '%03d-%s' "$number" "$2" | tr -c 'A-Za-z0-9_.@+=,-' '_' | cut -c 1-64).regions
        mv "$from.bytes" "$work/capture/$file"
        stored_in="\"file\": \"$file\", "
    fi
    printf ',\n  {"device": "%s", %s"size_bytes": %s, "sector_bytes": %s, "regions": [%s]}' "$2" "$stored_in" \
        "$3" "$4" "$(sed '1s/^,//' "$from.regions")" >>"$work/devices"
}

# All disks at once, in the background: one that gives no answer is left alone.
read_heads() {
    disks=$(list_disk)
    [ -n "$disks" ] || return 0
    if [ "$is_root" = no ]; then
        leave_out 'device heads' 'needs root'
        return 0
    fi
    mkdir "$work/heads"
    : >"$work/heads/list"
    index=0
    for each in $disks; do
        device=$(disk_device "$each")
        geometry=$(disk_size "$each")
        case $geometry in 0\ *) continue ;; esac
        if [ -z "$geometry" ] || [ -z "$device" ] || [ ! -r "$device" ]; then
            leave_out "$each" 'its size or its device is not known to this script; not read'
            continue
        fi
        index=$((index + 1))
        partition_sectors "$each" >"$work/heads/$index.partitions"
        (read_pieces "$device" "$work/heads/$index" "${geometry% *}" "${geometry#* }") \
            </dev/null >/dev/null 2>&1 &
        printf '%s %s %s %s\n' "$index" "$each" "$geometry" "$!" >>"$work/heads/list"
    done
    limit=$(($(date +%s) + command_seconds))
    while read -r index each size sector reader; do
        while [ ! -f "$work/heads/$index.done" ] && [ "$(date +%s)" -lt "$limit" ]; do
            sleep 0.1 2>/dev/null || sleep 1
        done
        if [ -f "$work/heads/$index.done" ]; then
            store_device "$index" "$each" "$size" "$sector"
        else
            leave_out "$each" 'gave no answer in time'
            kill "$reader" 2>/dev/null || :
        fi
    done <"$work/heads/list"
}

manifest() {
    printf '{\n "format": "diskwright-capture",\n "format_version": 1,\n'
    printf ' "tool": {"name": "diskwright-collect", "version": "%s"},\n' "$version"
    printf ' "collected": "%s",\n "host": "%s",\n' "$collected" "$host"
    printf ' "os": {"name": "%s", "release": "%s"},\n' "$system" "$release"
    [ "$is_root" = yes ] && root=true || root=false
    printf ' "root": %s,\n "scrubbed": false,\n' "$root"
    printf ' "members": [%s\n ],\n' "$(sed '1s/^,//' "$work/members")"
    printf ' "devices": [%s\n ],\n' "$(sed '1s/^,//' "$work/devices")"
    printf ' "left_out": [%s\n ]\n}\n' "$(sed '1s/^,//' "$work/left_out")"
}

make_folder() {
    why=$(mkdir -- "$1" 2>&1) && return 0
    why=${why##*: }
    case $why in
        'No space left'* | 'No such file'* | 'Input/output'*) give_up 71 "$shown: $why" ;;
        *) give_up 77 "$shown: $why" ;;
    esac
}

# Where to, and whether that is a folder: asked for, or the best there is without tar. A folder is made now, and
# everything happens in it; of a file the name appears at the end.
choose_target() {
    shown=${1:-diskwright-$host-$(date -u +%Y%m%dT%H%M%SZ).tar}
    target=$shown
    case $target in - | /*) ;; *) target=./$target ;; esac
    as_folder=no
    case $target in
        */)
            as_folder=yes
            target=${target%/}
            shown=${shown%/}
            ;;
        *) if [ -d "$target" ]; then as_folder=yes; fi ;;
    esac
    if [ "$as_folder" = no ] && ! command -v tar >/dev/null 2>&1; then
        [ "$target" != - ] || give_up 69 'there is no tar here; name a folder'
        as_folder=yes
        target=${target%.tar}
        shown=${shown%.tar}
    fi
    if [ "$as_folder" = yes ] && [ -d "$target" ] && [ ! -L "$target" ]; then
        # Only an empty folder goes away, and comes again as one of ours.
        rmdir -- "$target" 2>/dev/null || give_up 77 "$shown: not empty"
    fi
    if [ "$target" != - ] && { [ -e "$target" ] || [ -L "$target" ]; }; then
        give_up 77 "$shown: exists already"
    fi
    if [ "$as_folder" = yes ]; then
        make_folder "$target"
        before=$(pwd)
        cd -- "$target"
        work=./.part
    elif [ "$target" = - ]; then
        work=${TMPDIR:-/tmp}/diskwright-collect.$$
    else
        work=$target.part.$$
    fi
    make_folder "$work"
}

publish() {
    if [ "$as_folder" = yes ]; then
        mv "$work"/capture/* .
        return 0
    fi
    made=$work/diskwright.$$.tar
    (cd -- "$work" && tar -cf "diskwright.$$.tar" capture)
    if [ "$target" = - ]; then
        cat "$made"
        return 0
    fi
    # -n: a link that has appeared meanwhile is not followed; and a folder would have taken the file in.
    if ln -n "$made" "$target" 2>/dev/null; then
        if [ ! -d "$target" ]; then return 0; fi
        rm -f "$target/diskwright.$$.tar"
        give_up 77 "$shown: exists already"
    fi
    if [ -e "$target" ] || [ -L "$target" ]; then give_up 77 "$shown: exists already"; fi
    # A file system without links.
    (
        set -C
        cat "$made" >"$target"
    )
}

# However this script ends. A process in the background that a signal meets before it has forgotten the traps of
# its parent is not the script.
finish() {
    code=$?
    trap - EXIT HUP INT TERM
    [ "$(exec sh -c 'printf %s "$PPID"')" = "$$" ] || exit "$code"
    if [ "$has_timeout" = yes ]; then signal=TERM; else signal=KILL; fi
    if [ -n "$running" ]; then kill -s "$signal" "$running" 2>/dev/null || :; fi
    if [ -n "$watching" ]; then kill "$watching" 2>/dev/null || :; fi
    case $code in
        0 | 64 | 69 | 71 | 77 | 129 | 130 | 143) ;;
        *)
            why=$(sed '/^[[:space:]]*$/d' "$work/noise" 2>/dev/null | tail -n 1)
            say "$shown: not written: ${why:-a command of this script failed; is the disk full?}"
            code=71
            ;;
    esac
    if [ -n "$work" ]; then
        end_readers
        rm -rf "$work"
    fi
    if [ "$as_folder" = yes ] && [ "$whole" = no ] && [ -n "$work" ]; then
        rm -f ./*
        cd -- "$before"
        rmdir -- "$target" 2>/dev/null || :
    fi
    exit "$code"
}

main() {
    if [ $# -gt 1 ]; then
        say 'usage: sh collect.sh [FILE.tar | FOLDER/ | -]'
        exit 64
    fi
    case $(uname -s) in
        NetBSD) system=netbsd ;;
        FreeBSD) system=freebsd ;;
        OpenBSD) system=openbsd ;;
        DragonFly) system=dragonfly ;;
        Linux) system=linux ;;
        *)
            say "$(uname -s) is none of the systems that are known here"
            exit 69
            ;;
    esac
    release=$(uname -r)
    is_plain "$release" || release=
    host=$(uname -n)
    case $host in */*) host= ;; esac
    is_plain "$host" || host=host
    is_root=no
    if [ "$(id -u)" -eq 0 ]; then is_root=yes; fi
    has_timeout=no
    if command -v timeout >/dev/null 2>&1; then has_timeout=yes; fi
    collected=$(date -u +%Y-%m-%dT%H:%M:%SZ)
    end=$(($(date +%s) + all_seconds))
    number=0
    asked='|'

    as_folder=no
    trap finish EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    trap : ALRM
    choose_target "$@"
    exec 2>"$work/noise"
    mkdir "$work/capture"
    : >"$work/members"
    : >"$work/left_out"
    : >"$work/devices"
    "ask_$system"
    read_heads
    if [ "$is_root" = no ]; then say 'not run as root: the commands that need it are left out'; fi
    manifest >"$work/capture/manifest.json"
    publish
    whole=yes
    if [ "$target" != - ]; then printf '%s\n' "$shown"; fi
}

main "$@"
