// A separate module, so that bundlers drop the library's other exports.
export { RE2JS } from 're2js';
