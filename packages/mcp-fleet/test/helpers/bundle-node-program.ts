import { testPrograms } from '../../../../test-programs.js';

/** The program of a node, and `skewed-clock`, which is imported before it. Each test starts several. */
export default testPrograms(new URL('../../', import.meta.url), {
  entry: ['test/faults/node-program.ts', 'test/faults/skewed-clock.ts'],
  skipNodeModulesBundle: true,
});
