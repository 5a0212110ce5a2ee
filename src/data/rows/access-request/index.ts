export * as accessOffers from './access-offer-rows.js';
