/** The sidebar: each page of docs/ has its place here, by its file name. A page without one fails the build. */
export const groups: readonly Group[] = [
  { title: 'Three pages to read', pages: ['getting-started', 'embed-the-registry', 'operations'] },
  { title: 'The packages', pages: ['guarantees', 'comparison'] },
  {
    title: 'Examples and migration',
    pages: [
      'examples',
      'compare-chat',
      'migrate-from-raw-sdk',
      'migrate-from-mcporter',
      'migrate-from-ai-sdk',
      'migrate-from-mastra',
      'migrate-from-mcp-use',
      'migrate-from-langchain',
    ],
  },
  { title: 'Configure', pages: ['config-files', 'templates', 'secrets', 'sync-host-configs', 'extensions'] },
  {
    title: 'Run servers',
    pages: ['supervise-servers', 'connects-to', 'sign-in', 'servers-ask-the-host', 'testing-your-host'],
  },
  {
    title: 'Offer tools',
    pages: [
      'search',
      're-rank-with-embeddings',
      'own-tool-source',
      'role-restrictions',
      'role-filter',
      'tool-trust',
      'interceptors',
      'approvals',
      'result-limits',
      'redact-results',
      'model-apis',
      'what-a-model-sees',
      'code',
      'serve-and-mount',
      'run-a-gateway',
      'apps-and-skills',
    ],
  },
  {
    title: 'Keep it running',
    pages: [
      'daemon',
      'run-as-a-service',
      'windows',
      'monitoring',
      'dashboard',
      'audit',
      'security-model',
      'fleet',
      'fleet-operations',
    ],
  },
  {
    title: 'Look up',
    pages: [
      'cli',
      'requirements',
      'conformance',
      'works-with',
      'limits',
      'files-and-logs',
      'errors/README',
      'benchmarks',
      'package-sizes',
      'bundling',
      'glossary',
      'releasing',
    ],
    folders: ['decisions'],
  },
];

export interface Group {
  readonly title: string;
  readonly pages: readonly string[];
  /** Folders whose README lists their pages. */
  readonly folders?: readonly string[];
}
