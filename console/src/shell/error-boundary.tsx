import { Component, type ReactNode } from 'react';
import { PageError } from './page-error.tsx';

/** Catches errors outside pages. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error?: unknown }> {
  override state: { error?: unknown } = {};

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    return this.state.error === undefined ? this.props.children : <PageError error={this.state.error} />;
  }
}
