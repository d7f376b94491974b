import { tellStory } from './story.js';

const startedAt = performance.now();
await tellStory();
process.stdout.write(`\nThat was everything, in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s.\n`);
