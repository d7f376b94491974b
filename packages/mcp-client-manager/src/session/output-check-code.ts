import { loadDescriptors, moduleLoader } from '../process/module-loader.js';

/** The check of structured results. Loaded for the first tool that has an output schema: most have none. */
export const outputCheckCode = moduleLoader(loadDescriptors.ours, () => import('./output-check.js'));
