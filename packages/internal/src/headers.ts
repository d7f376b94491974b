// Everything that can be imported from "@x/internal/headers".
export { HEADER_KEYWORD, headerFault } from './headers/header-fault.js';
