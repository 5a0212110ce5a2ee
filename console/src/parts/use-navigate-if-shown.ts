import { useNavigate, type UseNavigateResult } from '@tanstack/react-router';
import { useIsLeft } from '../graph/use-is-left.js';

/** Goes to another page, unless the component is no longer shown: an answer may come late. */
export function useNavigateIfShown(): UseNavigateResult<string> {
  const navigate = useNavigate();
  const isLeft = useIsLeft();
  return (options) => (isLeft() ? Promise.resolve() : navigate(options));
}
