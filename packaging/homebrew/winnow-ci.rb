# Made for a release by tools/release --recipes, from packaging/homebrew/winnow-ci.rb.
class WinnowCi < Formula
  include Language::Python::Virtualenv

  desc "Find code that was copied into a change, and name its licence"
  homepage "@SOURCE@"
  url "@SOURCE@/releases/download/v@VERSION@/winnow_ci-@VERSION@.tar.gz"
  sha256 "@SHA256@"
  license "@LICENSE@"

  depends_on "rust" => :build
  depends_on "libyaml"
  depends_on "numpy"
  depends_on "python@3.13"

@RESOURCES@

  def install
    virtualenv_install_with_resources
  end

  test do
    assert_match "winnow-ci #{version} (kernel ", shell_output("#{bin}/winnow-ci --version")
    (testpath/"known/roads.py").write "def add(a, b):\n    return a + b\n"
    system bin/"winnow-ci", "index", "build", "known", "--output", "known.db", "--name", "roads"
    assert_path_exists testpath/"known.db"
  end
end
