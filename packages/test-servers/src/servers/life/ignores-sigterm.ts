// Ignores SIGTERM and the end of stdin.
import { serve } from './json-lines.js';
import { echoTool, pidTool } from './plain-tools.js';

process.on('SIGTERM', () => undefined);
setInterval(() => undefined, 60_000);

serve({ tools: [echoTool, pidTool], onEnd: () => undefined });
