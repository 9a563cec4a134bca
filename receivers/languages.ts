/** How the tests run each receiver. Programs run in the folder of the language and write to the build folder only. */
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
    // No downloads: neither modules nor toolchains.
    env: (build) => ({ GOCACHE: build, GOFLAGS: '-mod=mod', GOPROXY: 'off', GOTOOLCHAIN: 'local', CGO_ENABLED: '0' }),
    test: () => [
      ['go', 'vet', './...'],
      ['go', 'test', './...'],
    ],
    example: 'example/main.go',
    buildExample: (build) => [['go', 'build', '-o', `${build}/example`, './example']],
    runExample: (build) => [`${build}/example`],
  },
];
