export { MAX_COUNTED, type Place } from './find.js';
export { Search, MAX_TEXT_LENGTH, type Hit, type Hits, type Question } from './search.js';
export { RANKS } from './rank.js';
export { MAX_CHARACTERS } from './searched-texts.js';
