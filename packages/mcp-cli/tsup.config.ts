import { readdirSync } from 'node:fs';
import { defineConfig } from 'tsup';
import { bundledLicenses } from '../../bundled-licenses.js';
import { packageBuild } from '../../tsup.base.js';
import { builtins } from './build/builtins.js';
import { daemonWorker } from './build/daemon-worker.js';
import { loadBuiltinsLate } from './build/late-builtins.js';
import { oneSharedFile } from './build/one-shared-file.js';
import { prepareAnswers } from './build/prepare-answers.js';

const programs = ['index', 'bin'];
const commands = readdirSync('src/commands').map((file) => `commands/${file.replace(/\.ts$/, '')}`);
const { dts, ...base } = packageBuild([]);

// A file of its own, which loads next to nothing. Shared with it, parts of the commands would be files of their own, too.
const daemonParent = defineConfig({ ...base, entry: ['src/daemon-parent.ts'], dts: false, clean: false });

const commandLine = defineConfig({
  ...base,
  // Named as the sources are: `commands/status.js` is the command `status`.
  entry: Object.fromEntries([...programs, ...commands].map((name) => [name, `src/${name}.ts`])),
  dts: { ...(dts as object), entry: 'src/index.ts' },
  treeshake: { moduleSideEffects: 'no-external' }, // a file that nothing is used of is not loaded
  // The page of the dashboard is built before, into the same directory. The others begin with this one and end later.
  clean: ['!dashboard/**', '!daemon-parent.js'],
  esbuildOptions(options) {
    options.chunkNames = 'shared/[name]-[hash]';
  },
  esbuildPlugins: [
    builtins(),
    // Commands need these modules to talk to the daemon and to the user.
    oneSharedFile([
      '../package.json',
      'command.ts',
      'open-control.ts',
      'call-words/read-call.ts',
      'call-words/typed-arguments.ts',
      'command-line/common-first.ts',
      'completion/known-arguments.ts',
      'config/config-names.ts',
      'config/config-source.ts',
      'config/find-project.ts',
      'config/reload-report.ts',
      'config/unused-files.ts',
      'consent/obtain-consent.ts',
      'control/control-error.ts',
      'control/server-facts.ts',
      'fleet/fleet-report.ts',
      'output/ask.ts',
      'output/capabilities-text.ts',
      'output/changes-text.ts',
      'output/fit.ts',
      'output/print.ts',
      'output/result-text.ts',
      'output/server-table.ts',
      'output/table.ts',
      'elicitation/answer-questions.ts',
      'elicitation/command-client.ts',
      'servers/find-tool.ts',
      'servers/list-offered.ts',
      'servers/server-rows.ts',
      'servers/start-servers.ts',
      'serving/fixed-paths.ts',
      'serving/rate-limit.ts',
      'serving/serve-options.ts',
      'unlisted/target.ts',
    ]),
    bundledLicenses('dist/THIRD-PARTY-LICENSES.txt'),
  ],
  onSuccess: async () => {
    await loadBuiltinsLate('dist', /^(?!dashboard|worker|daemon-worker).*\.js$/);
    await prepareAnswers('dist');
  },
});

export default [daemonParent, commandLine, defineConfig(daemonWorker('dist'))];
