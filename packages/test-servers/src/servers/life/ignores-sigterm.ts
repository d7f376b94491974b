// Ignores SIGTERM and the end of stdin.
import { echoTool, pidTool, serve } from '../../serving/json-lines.js';

process.on('SIGTERM', () => undefined);
setInterval(() => undefined, 60_000);

serve({ tools: [echoTool, pidTool], onEnd: () => undefined });
