// The code of calls, which loads with the first call or description.
export { engineCode, loadEngineFor } from '../arguments/pattern-engine.js';
export { refuseByRole } from '../interceptors/approval/refuse-by-role.js';
export { interceptPrompt, interceptRead, interceptResult } from '../interceptors/intercepted-requests.js';
export { toDescription } from '../tool-description.js';
export { callTool } from './call-tool.js';
