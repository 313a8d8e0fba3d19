# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091
. /snippets/measure.inc
kind ext4
