// SPDX-License-Identifier: BSD-2-Clause
#include "probes/capture/secrets.hpp"

#include <gtest/gtest.h>

namespace diskwright {
namespace {

TEST(Secrets, AreMaskedWhereverTheyStand) {
    struct Row {
        std::string_view text, masked;
    };
    for (const Row& row : {
             Row{"//s/x /m cifs username=jdoe,password=hunter2,domain=A 0 0",
                 "//s/x /m cifs username=jdoe,password=xxxxxxxx,domain=A 0 0"},
             Row{"//s/x /m cifs PASSWORD=hunter2\t0\n", "//s/x /m cifs PASSWORD=xxxxxxxx\t0\n"},
             Row{"a\n//s/x /m cifs pass=a,,b,password2=c,ro 0\nb",
                 "a\n//s/x /m cifs pass=xxxxxxxx,password2=xxxxxxxx,ro 0\nb"},
             Row{"passwd=\"two words\",ro", "passwd=\"xxxxxxxx\",ro"},
             Row{"rd.iscsi.password=geheim rd.iscsi.in.password=auch root=x",
                 "rd.iscsi.password=xxxxxxxx rd.iscsi.in.password=xxxxxxxx root=x"},
             Row{"username=jdoe%hunter2,ro", "username=jdoe%xxxxxxxx,ro"},
             Row{"curlftpfs#ftp://jdoe:hunter2@nas/ /m fuse", "curlftpfs#ftp://jdoe:xxxxxxxx@nas/ /m fuse"},
             Row{"passphrase=x", "passphrase=xxxxxxxx"},
             Row{"password=xxxxxxxx,ro", "password=xxxxxxxx,ro"},
         }) {
        EXPECT_EQ(without_secrets(std::string(row.text)), row.masked);
        EXPECT_EQ(without_secrets(std::string(row.masked)), row.masked);
    }
}

TEST(Secrets, NothingElseChanges) {
    for (const std::string text :
         {"", "\n\n", "password_stdin,credentials=/root/.smb",
          "SMART overall-health self-assessment test result: PASSED", "bypass=1", "compass=north",
          "https://www.debian.org/", "user=jdoe 95%", "3 passes", "pass=", "x\r\n"})
        EXPECT_EQ(without_secrets(text), text);
}

}  // namespace
}  // namespace diskwright
