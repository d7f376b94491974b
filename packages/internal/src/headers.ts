export { HEADER_KEYWORD, headerFault } from './headers/header-fault.js';
