// For workerd: the Worker of the guide, asked as a browser would.
import worker from './search-worker.mjs';

export default {
  async test() {
    const response = await worker.fetch(new Request('https://tools.example/?q=sum+of+numbers'));
    const [best] = await response.json();
    if (best?.name !== 'add') throw new Error(`found ${JSON.stringify(best)}`);
  },
};
