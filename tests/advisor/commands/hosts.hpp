// SPDX-License-Identifier: BSD-2-Clause
// One host of each system, with everything the generators look at.
#pragma once

#include <string_view>

namespace diskwright::test {

inline constexpr std::string_view netbsd_host = R"({
 "os": {"name": "netbsd", "release": "9.3"},
 "disks": [{"name": "wd0", "logical_sector_bytes": 512}, {"name": "wd1", "logical_sector_bytes": 512}],
 "partitions": [
  {"name": "wd0e", "parent": "wd0", "scheme": "disklabel", "start_bytes": 32256, "size_bytes": 1099511595520, "type": "4.2BSD"},
  {"name": "dk0", "parent": "wd1", "scheme": "gpt", "index": 1, "start_bytes": 17408, "size_bytes": 1073741824,
   "type": "NetBSD FFSv1/FFSv2", "label": "data"},
  {"name": "raid0b", "parent": "raid0", "scheme": "disklabel", "start_bytes": 0, "size_bytes": 1073741824, "type": "swap"},
  {"name": "raid0e", "parent": "raid0", "scheme": "disklabel", "start_bytes": 1073774080, "size_bytes": 1099511595520, "type": "4.2BSD"}],
 "volumes": [{"name": "raid0", "kind": "raidframe", "level": "5", "stripe_unit_bytes": 16384, "root": "No",
  "components": [{"name": "wd1e", "state": "failed"}, {"name": "wd2e", "state": "optimal"}, {"name": "wd3e", "state": "optimal"}]},
  {"name": "raid1", "kind": "raidframe", "level": "1", "root": "Soft",
  "components": [{"name": "component0", "state": "failed"}, {"name": "wd5e", "state": "optimal"}, {"name": "wd6e", "state": "spare"}]},
  {"name": "cgd0", "kind": "crypto", "crypto_format": "cgd"}, {"name": "tank", "kind": "zfs"}],
 "filesystems": [
  {"device": "wd0e", "type": "ffs2", "bsize": 16384, "fsize": 2048, "minfree_percent": 3, "optimization": "time",
   "avgfilesize": 4096, "avgfpdir": 64, "maxbpg": 2048, "bytes_per_inode": 8192, "wapbl": true, "wapbl_log_bytes": 1048576},
  {"device": "dk0", "type": "ffs1", "bsize": 8192, "fsize": 1024, "minfree_percent": 5, "optimization": "time"},
  {"device": "wd0a", "type": "ffs2", "bsize": 16384, "fsize": 2048},
  {"device": "raid0e", "type": "ffs2", "bsize": 32768, "fsize": 4096}],
 "mounts": [{"point": "/", "device": "/dev/wd0a", "type": "ffs", "options": ["local"]},
  {"point": "/export", "device": "/dev/wd0e", "type": "ffs", "options": ["log", "local"]}],
 "fstab": [{"device": "/dev/wd0e", "point": "/export", "type": "ffs", "options": ["rw", "sync"], "dump": 1, "pass": 0}]
})";

inline constexpr std::string_view freebsd_host = R"({
 "os": {"name": "freebsd", "release": "13.2-RELEASE"},
 "disks": [{"name": "ada0", "logical_sector_bytes": 512}, {"name": "ada1"}, {"name": "da0"}],
 "partitions": [
  {"name": "ada0p2", "parent": "ada0", "scheme": "gpt", "index": 2, "start_bytes": 544768, "size_bytes": 1073741824, "type": "freebsd-ufs", "label": "home"},
  {"name": "ada0p3", "parent": "ada0", "scheme": "gpt", "index": 3, "start_bytes": 1099511627776, "size_bytes": 1073741824, "type": "freebsd-swap"}],
 "volumes": [{"name": "mirror/gm0", "kind": "gmirror", "level": "1", "balance": "prefer",
  "components": [{"name": "ada1", "state": "optimal"}, {"name": "ada2", "state": "failed"}]},
  {"name": "stripe/st0", "kind": "gstripe", "level": "0", "stripe_unit_bytes": 4096, "components": [{"name": "ada3"}, {"name": "ada4"}]},
  {"name": "raid3/gr0", "kind": "graid3", "level": "3", "components": [{"name": "ada5", "state": "failed"}]},
  {"name": "tank", "kind": "zfs", "components": [{"name": "ada6", "state": "failed"}]},
  {"name": "ada7p2.eli", "kind": "crypto", "crypto_format": "geli"}],
 "filesystems": [
  {"device": "ada0p2", "type": "ffs2", "bsize": 16384, "fsize": 2048, "minfree_percent": 8, "optimization": "time",
   "avgfilesize": 16384, "avgfpdir": 64, "softupdates": true, "su_journal": false, "trim": false, "label": "home", "size_bytes": 1073741824},
  {"device": "gm0s1e", "type": "ffs1", "bsize": 16384, "fsize": 2048},
  {"device": "stripe/st0a", "type": "ffs2", "bsize": 16384, "fsize": 2048},
  {"device": "ada0p4", "type": "ffs2", "bsize": 32768, "fsize": 4096, "softupdates": true, "su_journal": true}],
 "mounts": [{"point": "/", "device": "/dev/ada0p4", "type": "ufs", "options": ["local", "journaled soft-updates"]},
  {"point": "/home", "device": "/dev/ada0p2", "type": "ufs", "options": ["local", "soft-updates"]},
  {"point": "/spool", "device": "/dev/mirror/gm0s1e", "type": "ufs", "options": ["local", "async"]}],
 "fstab": [{"device": "/dev/ada0p2", "point": "/home", "type": "ufs", "options": ["rw"], "dump": 2, "pass": 2}]
})";

inline constexpr std::string_view openbsd_host = R"({
 "os": {"name": "openbsd", "release": "7.4"},
 "disks": [{"name": "sd0", "logical_sector_bytes": 512}],
 "partitions": [{"name": "sd0a", "parent": "sd0", "scheme": "disklabel", "start_bytes": 32256, "size_bytes": 1099511595520, "type": "4.2BSD"}],
 "volumes": [{"name": "sd2", "kind": "softraid", "level": "1", "components": [{"name": "sd0d"}, {"name": "sd1d", "state": "failed"}]},
  {"name": "raid0", "kind": "raidframe", "level": "5", "components": [{"name": "sd3d", "state": "failed"}]}],
 "filesystems": [{"device": "sd0a", "type": "ffs2", "bsize": 16384, "fsize": 2048, "minfree_percent": 5, "optimization": "space"},
  {"device": "3b4f1c2d5e6a7b8c.d", "type": "ffs1", "bsize": 16384, "fsize": 2048}],
 "mounts": [{"point": "/var", "device": "/dev/sd0a", "type": "ffs", "options": ["local"]}],
 "fstab": [{"device": "/dev/sd0a", "point": "/var", "type": "ffs", "options": ["rw", "softdep"], "pass": 2}]
})";

inline constexpr std::string_view linux_host = R"({
 "os": {"name": "linux", "release": "5.10.0"},
 "disks": [{"name": "sda", "logical_sector_bytes": 512}, {"name": "sdb", "transport": "sas"}],
 "partitions": [
  {"name": "sda1", "parent": "sda", "scheme": "gpt", "index": 1, "start_bytes": 32256, "size_bytes": 1073742336, "type": "Linux filesystem"},
  {"name": "sdb1", "parent": "sdb", "scheme": "mbr", "index": 1, "start_bytes": 32256, "size_bytes": 1073742336, "type": "83"}],
 "volumes": [{"name": "md0", "kind": "md", "level": "5", "stripe_unit_bytes": 524288,
  "components": [{"name": "sdc1", "state": "failed"}, {"name": "sdd1", "state": "optimal"}]},
  {"name": "luks", "kind": "crypto", "crypto_format": "LUKS2"}],
 "filesystems": [{"device": "md0", "type": "ext4", "bsize": 4096, "size_bytes": 8796093022208},
  {"device": "md1", "type": "xfs", "bsize": 4096}],
 "mounts": [{"point": "/srv", "device": "/dev/md0", "type": "ext4", "options": ["rw", "noatime"]},
  {"point": "/data", "device": "/dev/md1", "type": "xfs", "options": ["rw"]}],
 "fstab": [{"device": "/dev/md0", "point": "/srv", "type": "ext4", "options": ["defaults"], "pass": 0},
  {"device": "/dev/md1", "point": "/data", "type": "xfs", "options": ["defaults"], "pass": 0}]
})";

}  // namespace diskwright::test
