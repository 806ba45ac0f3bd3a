/** Error boundary: one broken part must not take the others with it. */

import { Component, type ReactNode } from "react";

interface Props {
  readonly children: ReactNode;
  readonly fallback: (error: unknown, again: () => void) => ReactNode;
  /** The current place: navigating elsewhere resets the boundary. Parts that are not broken stay as they are. */
  readonly place?: string;
}

export class Boundary extends Component<Props, { error: unknown; broken: boolean }> {
  override state = { error: null as unknown, broken: false };

  static getDerivedStateFromError(error: unknown) {
    return { error, broken: true };
  }

  override componentDidUpdate(before: Props) {
    if (this.state.broken && before.place !== this.props.place) this.setState({ error: null, broken: false });
  }

  override render() {
    if (!this.state.broken) return this.props.children;
    return this.props.fallback(this.state.error, () => this.setState({ error: null, broken: false }));
  }
}
