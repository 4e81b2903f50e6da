#include "tflite/custom/benchmark/files.h"

#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tflite/custom/model/error_or.h"

namespace tflite::custom::benchmark {
namespace {

namespace fs = std::filesystem;

class FilesTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  std::string Path(const std::string& name) const {
    return (folder_ / name).string();
  }

  std::string Read(const std::string& name, size_t most = 1 << 30) const {
    const ErrorOr<std::vector<char>> bytes = ReadFile(Path(name), most);
    if (!bytes.ok()) return bytes.error().message;
    return std::string(bytes->begin(), bytes->end());
  }

  std::string Write(const std::string& name, const std::string& content) const {
    const std::optional<Error> error = WriteFile(Path(name), content);
    return error ? error->message : "";
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / "files_test";
};

TEST_F(FilesTest, WritesNewFilesAndOverOldOnesAndLeavesNothingElse) {
  EXPECT_EQ(Write("a", "first, and longer"), "");
  EXPECT_EQ(chmod(Path("a").c_str(), 0640), 0);
  EXPECT_EQ(Write("a", "second"), "");
  EXPECT_EQ(Read("a"), "second");
  EXPECT_EQ(fs::status(Path("a")).permissions(), fs::perms(0640));
  fs::create_symlink("a", Path("link"));
  EXPECT_EQ(Write("link", "third"), "");
  EXPECT_TRUE(fs::is_symlink(Path("link")));
  EXPECT_EQ(Read("a"), "third");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 2);
}

TEST_F(FilesTest, OfTwoProgramsThatWriteOneFileAtOnceOneIsThereWhole) {
  const std::string contents[] = {std::string(300000, 'a'),
                                  std::string(100000, 'b')};
  for (int i = 0; i < 20; ++i) {
    for (const std::string& content : contents) {
      const pid_t child = fork();
      ASSERT_GE(child, 0);
      if (child == 0) _exit(Write("x", content).empty() ? 0 : 1);
    }
    for (int status = 0; wait(&status) > 0;) EXPECT_EQ(status, 0);
    const std::string found = Read("x");
    EXPECT_TRUE(found == contents[0] || found == contents[1]) << found.size();
  }
}

TEST_F(FilesTest, DoesNotWriteThroughALinkInPlaceOfItsDraft) {
  EXPECT_EQ(Write("victim", "as it was"), "");
  const std::string planted = "a." + std::to_string(getpid()) + ".tmp";
  fs::create_symlink("victim", Path(planted));
  EXPECT_EQ(Write("a", "new"), "");
  EXPECT_EQ(Read("a"), "new");
  EXPECT_EQ(Read("victim"), "as it was");
  EXPECT_TRUE(fs::is_symlink(Path(planted)));
}

TEST_F(FilesTest, GivesNewFilesThePermissionsThatTheUmaskLeaves) {
  const mode_t before = umask(0027);
  EXPECT_EQ(Write("a", "new"), "");
  umask(before);
  EXPECT_EQ(fs::status(Path("a")).permissions(), fs::perms(0640));
}

TEST_F(FilesTest, ReadsNoMoreThanItIsToldTo) {
  EXPECT_EQ(Write("a", "12345"), "");
  EXPECT_EQ(Read("a", 5), "12345");
  EXPECT_EQ(Read("a", 4), "1234");
  EXPECT_EQ(Read("a", 0), "");
  const ErrorOr<std::vector<char>> zeros = ReadFile("/dev/zero", 200000);
  ASSERT_TRUE(zeros.ok());
  EXPECT_EQ(zeros->size(), 200000u);
}

TEST_F(FilesTest, DoesNotWaitForTheOtherEndOfAPipe) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(Read("pipe"), "");
  EXPECT_EQ(Write("pipe", "a"), "cannot write " + Path("pipe") +
                                    ": it is a pipe that nobody reads");
}

TEST_F(FilesTest, SaysWhatCannotBeReadOrWritten) {
  EXPECT_EQ(Read("none"),
            "cannot read " + Path("none") + ": No such file or directory");
  EXPECT_EQ(Read("."), "cannot read " + Path(".") + ": Is a directory");
  EXPECT_EQ(Write("none/a", "a"),
            "cannot write " + Path("none/a") + ": No such file or directory");
  const std::optional<Error> full = WriteFile("/dev/full", "a");
  ASSERT_TRUE(full.has_value());
  EXPECT_EQ(full->message, "cannot write /dev/full: No space left on device");
}

}  // namespace
}  // namespace tflite::custom::benchmark
