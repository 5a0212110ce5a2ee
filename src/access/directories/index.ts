export {
  directoryOfToken,
  issueTokenIn,
  type IssuedDirectoryToken,
  type NewDirectoryToken,
} from './directory-tokens.js';
