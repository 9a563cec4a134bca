/** How the tests run each receiver. Programs run in the folder of the language and write to the build folder. */
export interface Language {
  name: string;
  folder: string;
  /** Succeeds if the language is installed in a supported version. */
  check: string[];
  env?: (build: string) => Record<string, string>;
  test: (build: string) => string[][];
  example: string;
  buildExample?: (build: string) => string[][];
  runExample: (build: string) => string[];
}

export const languages: readonly Language[] = [
  {
    name: 'Python',
    folder: 'python',
    check: ['python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 11))'],
    env: () => ({ PYTHONDONTWRITEBYTECODE: '1' }),
    test: () => [['python3', '-m', 'unittest', 'discover', '-s', 'tests']],
    example: 'example.py',
    runExample: () => ['python3', 'example.py'],
  },
  {
    name: 'Go',
    folder: 'go',
    check: ['go', 'version'],
    // No downloads: neither modules nor toolchains. The user's build cache saves a minute after the first run.
    env: () => ({ GOFLAGS: '-mod=mod', GOPROXY: 'off', GOTOOLCHAIN: 'local', CGO_ENABLED: '0' }),
    test: () => [['go', 'test', './...']],
    example: 'example/main.go',
    buildExample: (build) => [['go', 'build', '-o', `${build}/example`, './example']],
    runExample: (build) => [`${build}/example`],
  },
  {
    name: 'PHP',
    folder: 'php',
    check: ['php', '-r', "exit(PHP_VERSION_ID < 80100 || !function_exists('sodium_crypto_sign_verify_detached'));"],
    test: () => [['php', 'tests/run.php']],
    example: 'example.php',
    runExample: () => ['sh', '-c', 'exec php -S 127.0.0.1:$PORT example.php'],
  },
  {
    name: 'Ruby',
    folder: 'ruby',
    check: ['ruby', '-e', "exit Gem::Version.new(RUBY_VERSION) >= Gem::Version.new('3.1')"],
    test: () => [['ruby', '-w', '-Ilib', 'test/receiver_test.rb']],
    example: 'config.ru',
    runExample: () => ['ruby', 'test/serve.rb'],
  },
  {
    name: 'Java',
    folder: 'java',
    check: ['javac', '--release', '17', '-version'],
    test: (build) => [
      javac(build, 'src/waypost/receiver', 'test/waypost/receiver'),
      ['java', '-cp', build, 'waypost.receiver.ReceiverTest', '../vectors.json'],
    ],
    example: 'example/Example.java',
    buildExample: (build) => [javac(build, 'src/waypost/receiver', 'example')],
    runExample: (build) => ['java', '-cp', build, 'Example'],
  },
  {
    name: 'C#',
    folder: 'csharp',
    check: ['sh', '-c', 'test "$(dotnet --version | cut -d. -f1)" -ge 8'],
    env: (build) => ({
      DOTNET_CLI_HOME: build,
      DOTNET_CLI_TELEMETRY_OPTOUT: '1',
      DOTNET_NOLOGO: '1',
      NUGET_PACKAGES: `${build}/packages`,
      // No build servers that outlive the test.
      MSBUILDDISABLENODEREUSE: '1',
      UseSharedCompilation: 'false',
    }),
    test: (build) => [dotnetBuild(build, 'test'), ['dotnet', `${build}/test/out/Test.dll`, '../vectors.json']],
    example: 'example/Program.cs',
    buildExample: (build) => [dotnetBuild(build, 'example')],
    runExample: (build) => ['dotnet', `${build}/example/out/Example.dll`],
  },
];

function javac(build: string, ...folders: string[]): string[] {
  const sources = folders.map((folder) => `${folder}/*.java`).join(' ');
  return ['sh', '-c', `exec javac --release 17 -encoding UTF-8 -Xlint:all -Werror -d "$0" ${sources}`, build];
}

/**
 * Builds a copy, because dotnet writes next to the sources. The framework of the installed SDK needs no download, unlike
 * older ones.
 */
function dotnetBuild(build: string, project: string): string[] {
  const script = `cp -R . "$0" && cd "$0" &&
    TargetFramework="net$(dotnet --version | cut -d. -f1).0" dotnet build "${project}" -o "${project}/out"`;
  return ['sh', '-c', script, build];
}
