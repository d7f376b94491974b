import { testPrograms } from '../../../../test-programs.js';

export default testPrograms(new URL('../../', import.meta.url), {
  entry: ['test/fixtures/serve-native.ts'],
  noExternal: [/./],
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
  },
});
