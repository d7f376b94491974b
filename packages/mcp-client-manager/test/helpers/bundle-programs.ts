import { testPrograms } from '../../../../test-programs.js';

export default testPrograms(new URL('../../', import.meta.url), {
  entry: ['test/fixtures/host.ts', 'test/fixtures/process-owner.ts'],
  skipNodeModulesBundle: true,
});
