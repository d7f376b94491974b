import { loadDescriptors, moduleLoader } from '../../process/descriptors.js';

/** Loads the check of structured results on first use: most tools have no output schema. */
export const outputCheckCode = moduleLoader(loadDescriptors.ours, () => import('./output-check.js'));
