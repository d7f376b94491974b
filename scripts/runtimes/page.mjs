// For browsers: the outcome becomes the text of the page.
import { useRegistry } from './program.mjs';

const faults = await useRegistry().catch((error) => [error.stack]);
document.body.textContent = faults.length > 0 ? faults.join('\n') : 'ok';
