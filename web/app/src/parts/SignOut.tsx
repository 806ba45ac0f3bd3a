/** Signs this browser out: revokes its token on the server, and removes what was stored here. */

import { useState } from "react";
import { Trouble } from "@askbridge/client";
import { useBridge, useClient } from "@askbridge/react";
import { forget } from "../identity.ts";
import { endSubscription, stopRingingHere } from "../reach/web_push.ts";
import { useWords } from "../words.ts";
import { Button } from "./parts.tsx";

export function SignOut() {
  const words = useWords();
  const client = useClient();
  const unsent = useBridge((state) => state.unsent.size);
  const [step, setStep] = useState<"idle" | "asks" | "busy" | "failed">("idle");
  const [trouble, setTrouble] = useState("");
  const leave = async () => {
    client.close();
    await endSubscription().catch(() => undefined);
    forget();
    location.assign("/");
  };
  const end = async () => {
    setStep("busy");
    try {
      // Otherwise notifications would go on after the person has left.
      await stopRingingHere(client);
      const own = (await client.api.devices()).items.find(({ current }) => current);
      if (own) await client.api.revoke(own.id);
      await leave();
    } catch (error) {
      setTrouble(error instanceof Trouble ? error.message : String(error));
      setStep("failed");
    }
  };
  if (step === "idle") return <Button kind="stop" onClick={() => setStep("asks")}>{words.signOut}</Button>;
  return (
    <div className="app-sign-out" role="group" aria-labelledby="sign-out-title">
      <p id="sign-out-title"><strong>{words.signOutTitle}</strong></p>
      <p className="app-note">{words.signOutMore}</p>
      {unsent > 0 && <p className="app-trouble">{words.signOutUnsent(unsent)}</p>}
      {step === "failed" && <p className="app-trouble" role="alert">{words.signOutFailed(trouble)}</p>}
      <div className="app-form-end app-form-start">
        <Button kind="stop" disabled={step === "busy"} onClick={() => void end()}>{words.signOutNow}</Button>
        {step === "failed" && <Button onClick={() => void leave()}>{words.signOutAnyway}</Button>}
        <Button kind="quiet" autoFocus onClick={() => setStep("idle")}>{words.cancel}</Button>
      </div>
    </div>
  );
}
