/** The sidebar: each page of docs/ has its place here, by its file name. A page without one fails the build. */
export const groups: readonly Group[] = [
  {
    title: 'Start',
    pages: ['getting-started', 'examples', 'migrate-from-raw-sdk', 'migrate-from-mcporter', 'migrate-from-langchain'],
  },
  { title: 'Configure', pages: ['sync-host-configs', 'templates', 'secrets', 'extensions'] },
  {
    title: 'Run servers',
    pages: ['supervise-servers', 'connects-to', 'sign-in', 'servers-ask-the-host', 'testing-your-host'],
  },
  {
    title: 'Offer tools',
    pages: [
      'embed-the-registry',
      'search',
      're-rank-with-embeddings',
      'own-tool-source',
      'serve-and-mount',
      'run-a-gateway',
      'role-restrictions',
      'tool-trust',
    ],
  },
  {
    title: 'Operate',
    pages: ['daemon', 'fleet', 'fleet-operations', 'operations', 'security-model', 'dashboard', 'audit'],
  },
  {
    title: 'Reference',
    pages: ['cli', 'config-files', 'errors/README', 'benchmarks', 'package-sizes', 'glossary', 'releasing'],
    folders: ['decisions'],
  },
];

export interface Group {
  readonly title: string;
  readonly pages: readonly string[];
  /** Folders whose README lists their pages. */
  readonly folders?: readonly string[];
}
