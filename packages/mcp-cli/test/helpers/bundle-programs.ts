import { testPrograms } from '../../../../test-programs.js';
import { daemonWorker } from '../../build/daemon-worker.js';

/** mcpx and its daemon, as they are published. */
export default testPrograms(
  new URL('../../', import.meta.url),
  {
    entry: ['src/bin.ts', 'src/daemon-parent.ts'],
    // The project's own packages are part of it: the tests start these programs hundreds of times, and loading many files
    // takes a tenth of the processor time of each. CommonJS modules are not: they would have no `require`.
    external: [
      ...['@clack/prompts', '@napi-rs/keyring', 'commander', 'quickjs-wasi', 'yaml', 'yauzl'],
      '@x/mcp-registry/code', // finds a program of its package beside itself
      /^@(nats-io|opentelemetry)\//,
    ],
  },
  daemonWorker,
);
