// A module of its own: a bundler leaves out what of the library is not named here.
export { RE2JS } from 're2js';
