# What Homebrew does with a formula: ruby homebrew.rb FORMULA ARCHIVE PREFIX installs it from the archive and runs its test.
require "digest"
require "pathname"
require "tmpdir"

class Formula
  DEPENDENCIES = []
  class << self
    attr_reader :made, :test_block

    %w[desc homepage url sha256 license].each do |name|
      define_method(name) { |value = nil| value ? instance_variable_set("@#{name}", value) : instance_variable_get("@#{name}") }
    end

    def depends_on(what) = DEPENDENCIES << what
    alias uses_from_macos depends_on

    def test(&block)
      @test_block = block
    end

    def inherited(formula)
      super
      @made = formula
    end
  end

  attr_reader :testpath

  def initialize(prefix, testpath)
    @prefix = prefix
    @testpath = Pathname(testpath)
  end

  def bin = Pathname(@prefix)/"bin"
  def version = self.class.url[/(\d+\.\d+\.\d+)\.tar\.gz$/, 1]
  def std_meson_args = ["--prefix=#{@prefix}", "--libdir=lib", "--buildtype=release"]

  def system(*command)
    Kernel.system(*command.map(&:to_s)) or raise "#{command.join(" ")} failed"
  end

  def shell_output(command)
    output = `#{command}`
    $?.success? or raise "#{command} failed"
    output
  end

  def assert_match(wanted, text)
    text.include?(wanted) or raise "#{wanted} is not in #{text}"
  end

  def assert_path_exists(path)
    path.exist? or raise "#{path} does not exist"
  end
end

formula, archive, prefix = ARGV
load formula
made = Formula.made
%w[desc homepage url sha256 license].each { |name| made.send(name) or raise "the formula has no #{name}" }
made.url.end_with?("/" + File.basename(archive)) or raise "#{made.url} does not end with the archive's name"
made.sha256 == Digest::SHA256.file(archive).hexdigest or raise "the archive has another hash than the formula"
Formula::DEPENDENCIES.size == 6 or raise "the formula depends on #{Formula::DEPENDENCIES}"
Dir.mktmpdir do |folder|
  Kernel.system("tar", "-xf", archive, "-C", folder, "--strip-components", "1") or raise "tar failed"
  Dir.chdir(folder) { made.new(prefix, folder).install }
end
Dir.mktmpdir { |folder| Dir.chdir(folder) { made.new(prefix, folder).instance_eval(&made.test_block) } }
