#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Asks this host about its disks, sets and file systems by commands that only read, and stores what they print
# as a capture for diskwright(8), which diskwright-capture(5) describes.
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

say() {
    printf '%s\n' "collect: $*" >&2
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

# number argv... of the output in $work/output, whose run is in $status, $seconds, $timed_out, $cut.
store() {
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

# run root|anyone argv...
run() {
    needs=$1
    shift
    case $asked in *"|$*|"*) return 0 ;; esac
    asked="$asked$*|"
    if [ "$needs" = root ] && [ "$is_root" = no ]; then
        leave_out "$*" 'needs root'
        return 0
    fi
    command -v "$1" >/dev/null 2>&1 || return 0
    begun=$(date +%s)
    if [ "$begun" -ge "$end" ]; then
        leave_out "$*" 'left out, the time for looking is up'
        return 0
    fi
    status=0
    (limited "$@") >"$work/output" 2>"$work/errors" </dev/null || status=$?
    seconds=$(($(date +%s) - begun))
    timed_out=false
    cut=false
    if [ "$has_timeout" = yes ] && [ "$seconds" -ge "$command_seconds" ]; then
        timed_out=true
        leave_out "$*" 'gave no answer in time'
    fi
    if [ "$(wc -c <"$work/output")" -ge "$output_bytes" ]; then
        cut=true
        leave_out "$*" 'printed more than is taken; the rest is left out'
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
manifest() {
    printf '{\n "format": "diskwright-capture",\n "format_version": 1,\n'
    printf ' "tool": {"name": "diskwright-collect", "version": "%s"},\n' "$version"
    printf ' "collected": "%s",\n "host": "%s",\n' "$collected" "$host"
    printf ' "os": {"name": "%s", "release": "%s"},\n' "$system" "$release"
    [ "$is_root" = yes ] && root=true || root=false
    printf ' "root": %s,\n "scrubbed": false,\n' "$root"
    printf ' "members": [%s\n ],\n' "$(sed '1s/^,//' "$work/members")"
    printf ' "left_out": [%s\n ]\n}\n' "$(sed '1s/^,//' "$work/left_out")"
}

# Where to, and whether that is a folder: asked for, or the best there is without tar.
choose_target() {
    target=${1:-diskwright-$host-$(date -u +%Y%m%dT%H%M%SZ).tar}
    as_folder=no
    case $target in
        */)
            as_folder=yes
            target=${target%/}
            ;;
        *) if [ -d "$target" ]; then as_folder=yes; fi ;;
    esac
    if [ "$as_folder" = no ] && ! command -v tar >/dev/null 2>&1; then
        [ "$target" != - ] || { say 'there is no tar here; name a folder'; exit 69; }
        as_folder=yes
        target=${target%.tar}
    fi
    if [ "$as_folder" = yes ] && [ -d "$target" ] && [ ! -L "$target" ]; then
        # Only an empty folder goes away, and takes its name again at the end.
        rmdir "$target" 2>/dev/null || { say "$target: not empty"; exit 77; }
    fi
    if [ "$target" != - ] && { [ -e "$target" ] || [ -L "$target" ]; }; then
        say "$target: exists already"
        exit 77
    fi
    if [ "$target" = - ]; then work=${TMPDIR:-/tmp}/diskwright-collect.$$; else work=$target.part.$$; fi
}

publish() {
    if [ "$as_folder" = yes ]; then
        mv "$work/capture" "$target"
        return 0
    fi
    (cd "$work" && tar -cf capture.tar capture)
    if [ "$target" = - ]; then
        cat "$work/capture.tar"
    elif ! ln "$work/capture.tar" "$target" 2>/dev/null; then
        # A file system without links, or a name that has appeared meanwhile.
        if [ -e "$target" ] || [ -L "$target" ]; then
            say "$target: exists already"
            exit 77
        fi
        mv "$work/capture.tar" "$target"
    fi
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

    choose_target "$@"
    mkdir "$work"
    trap 'rm -rf "$work"' EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    mkdir "$work/capture"
    : >"$work/members"
    : >"$work/left_out"
    "ask_$system"
    if [ "$is_root" = no ]; then say 'not run as root: the commands that need it are left out'; fi
    manifest >"$work/capture/manifest.json"
    publish
    if [ "$target" != - ]; then printf '%s\n' "$target"; fi
}

main "$@"
