// For workerd, the runtime of Cloudflare Workers. The registry is used during a request, and stands at module scope.
import { useRegistry } from './program.mjs';

export default {
  async test() {
    const faults = await useRegistry();
    if (faults.length > 0) throw new Error(faults.join('\n'));
  },
};
