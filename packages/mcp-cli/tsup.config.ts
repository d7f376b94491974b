import { readdirSync } from 'node:fs';
import { defineConfig } from 'tsup';
import { bundledLicenses } from '../../bundled-licenses.js';
import { packageBuild } from '../../tsup.base.js';
import { builtins } from './build/builtins.js';
import { loadBuiltinsLate } from './build/late-builtins.js';
import { oneSharedFile } from './build/one-shared-file.js';
import { prepareAnswers } from './build/prepare-answers.js';

const programs = ['index', 'bin', 'daemon-worker'];
const commands = readdirSync('src/commands').map((file) => `commands/${file.replace(/\.ts$/, '')}`);
const { dts, ...base } = packageBuild([]);

// A file of its own, which loads next to nothing. Shared with it, parts of the commands would be files of their own, too.
const daemonParent = defineConfig({ ...base, entry: ['src/daemon-parent.ts'], dts: false, clean: false });

const commandsAndWorker = defineConfig({
  ...base,
  // Named as the sources are: `commands/status.js` is the command `status`.
  entry: Object.fromEntries([...programs, ...commands].map((name) => [name, `src/${name}.ts`])),
  dts: { ...(dts as object), entry: 'src/index.ts' },
  treeshake: { moduleSideEffects: 'no-external' }, // a file that nothing is used of is not loaded
  // The page of the dashboard is built before, into the same directory.
  clean: ['!dashboard/**', '!daemon-parent.*'],
  esbuildOptions(options) {
    options.chunkNames = 'shared/[name]-[hash]';
  },
  esbuildPlugins: [
    builtins(),
    oneSharedFile({
      // What commands need to talk to the daemon and to the user.
      modules: [
        '../package.json',
        'open-control.ts',
        'consent/agree-before.ts',
        'consent/trusts-everything.ts',
        'control/trust-hint.ts',
        'control/control-error.ts',
        'exit-codes.ts',
        'find-tool.ts',
        'fleet/fleet-report.ts',
        'named-rows.ts',
        'servers-without-tools.ts',
        'start-needed.ts',
        'call-arguments/read-words.ts',
        'command-line/common-first.ts',
        'output/ask.ts',
        'output/did-you-mean.ts',
        'output/print-json.ts',
        'output/printable.ts',
        'output/result-text.ts',
        'output/saved-content.ts',
        'output/server-outcomes.ts',
        'output/server-table.ts',
        'output/show-logs.ts',
        'output/tool-lines.ts',
        'serving/rate-limit.ts',
      ],
      loaders: [
        ...commands.map((name) => `${name}.ts`),
        'index.ts',
        'daemon-worker.ts',
        'compose.ts',
        'consent/agree.ts',
        'consent/consent-gate.ts',
        'control/local-control.ts',
        'completion/read-names.ts',
        'dashboard/config-report.ts',
        'dashboard/dashboard.ts',
        'fleet/open-fleet-bus.ts',
        'host-apps/extension-servers.ts',
        'output/explain-library-error.ts',
        'output/fleet-table.ts',
        'output/report-error.ts',
        'serving/identity.ts',
        'unmatched-rules.ts',
      ],
    }),
    bundledLicenses('dist/THIRD-PARTY-LICENSES.txt'),
  ],
  onSuccess: async () => {
    await loadBuiltinsLate('dist');
    await prepareAnswers('dist');
  },
});

export default [daemonParent, commandsAndWorker];
