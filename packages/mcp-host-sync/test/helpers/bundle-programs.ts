import { testPrograms } from '../../../../test-programs.js';

export default testPrograms(new URL('../../', import.meta.url), {
  entry: ['test/programs/sync-once.ts'],
  platform: 'neutral',
  // With all that it imports, so that other users, who may not read the checkout, can run it.
  external: [/^node:/],
  noExternal: [/./],
  esbuildOptions(options) {
    options.mainFields = ['module', 'main'];
  },
});
