import { Star } from 'lucide-react';
import { tn } from '../../texts/t.ts';
import classes from './inbox.module.css';

export function Stars({ rating }: { rating: number }) {
  return (
    <span role="img" aria-label={tn('inbox.stars', rating)} className={classes.stars}>
      {[1, 2, 3, 4, 5].map((one) => (
        <Star key={one} size={14} aria-hidden fill={one <= rating ? 'currentColor' : 'none'} strokeWidth={1.5} />
      ))}
    </span>
  );
}
