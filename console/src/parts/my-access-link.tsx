import { Link } from '@tanstack/react-router';
import { texts } from '../texts.js';

/** Leads to the own access, which every caller may see. */
export const MyAccessLink = () => (
  <div>
    <Link to="/my-access">{texts.myAccess.link}</Link>
  </div>
);
