#include "core/pool/build_config.h"

#include "gtest/gtest.h"

namespace podferry {
namespace {

TEST(BuildConfigTest, LeavesOutSecrets) {
  BuildConfig config;
  config.shub_proxy.server = "hub.example.org";
  config.shub_proxy.master_token = "secret";
  const BuildConfig published = WithoutSecrets(config);
  EXPECT_EQ(published.shub_proxy.master_token, "");
  config.shub_proxy.master_token = "";
  EXPECT_EQ(published, config);
}

TEST(BuildConfigTest, TakesWhatInterLinksJobConfigSays) {
  JobConfig job;
  job.apptainer.executable = "/opt/singularity";
  job.apptainer.fuse_mode = "host";
  job.apptainer.fakeroot = true;
  job.volumes.image_dir = "/images";
  job.volumes.additional_directories_in_path = {"/bin2"};
  job.volumes.fuse_sleep_seconds = 9;
  job.hub_proxy.server = "hub";
  job.hub_proxy.master_token = "token";
  const BuildConfig config = WithJobConfig(BuildConfig(), job);
  EXPECT_EQ(config.apptainer.executable, "/opt/singularity");
  EXPECT_EQ(config.apptainer.fuse_mode, FuseMode::kHost);
  EXPECT_TRUE(config.apptainer.fakeroot);
  EXPECT_FALSE(config.apptainer.no_home);
  EXPECT_EQ(config.volumes.image_dir, "/images");
  EXPECT_EQ(config.volumes.scratch_area, "/tmp") << "not said";
  EXPECT_EQ(config.volumes.additional_directories_in_path,
            job.volumes.additional_directories_in_path);
  EXPECT_EQ(config.volumes.fuse_sleep_seconds, 9);
  EXPECT_EQ(config.shub_proxy.master_token, "token");
}

TEST(BuildConfigTest, AJobConfigOfZeroesSaysNothing) {
  BuildConfig base;
  base.apptainer.fakeroot = true;
  EXPECT_EQ(WithJobConfig(base, JobConfig()), base);
}

}  // namespace
}  // namespace podferry
